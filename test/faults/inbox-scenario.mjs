/**
 * One run of a Waybill that follows the files of a team, in its own process on the built program. It can be killed
 * anywhere and started again: it asks for the same things until they are done, as a client and a person would, and then
 * prints the outcome. Usage: node inbox-scenario.mjs DIRECTORY, with WAYBILL_FAIL_POINT to be killed. The test has
 * created the team's files; `older.json` is what another program writes into nate's inbox in between.
 */
import { chmodSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { defaultPolicy } from "../../build/core/delivery/policy.js";
import { isOutstanding } from "../../build/core/delivery/record.js";
import { startEngine } from "../../build/daemon/wiring/start-engine.js";
import { failPointFrom } from "../../build/daemon/worker/fail-point.js";
import { systemClock } from "../../build/platform/clock.js";
import { StubRuntime } from "../../build/runtimes/stub/runtime.js";
import { importTeam } from "../../build/service/import-team.js";
import { takeLock } from "../../build/store/sqlite/file/lock.js";
import { openSqliteStore } from "../../build/store/sqlite/sqlite-store.js";

const directory = process.argv[2];
const team = join(directory, "crew");
const older = join(directory, "older.json");
const file = (inbox) => join(team, "inboxes", `${inbox}.json`);
const rowsIn = (inbox) => (existsSync(file(inbox)) ? JSON.parse(readFileSync(file(inbox), "utf8")) : []);

const policy = {
  ...defaultPolicy,
  graceMs: 60,
  rereadMs: 20,
  firstReconcileDelayMs: 20,
  maxReconcileDelayMs: 200,
  lateReconcileDelaysMs: [],
};
const runs = ["team-lead", "tom", "ben", "rex", "sid"];
const lane = (id) => ({
  ...{ id, team: null, member: null, runtime: "stub", directory, agent: null, model: null },
  ...{ displayName: null, contract: "text", createdAt: 1 },
});
const messages = [
  ["n1", "nate"],
  ["n2", "nate"],
  ["r1", "nora"],
];
/** How many messages each lane gets from its rows. */
const lanes = { tom: 5, ben: 1, rex: 1 };
const requests = ["p1", "s1"];

const reached = {};
const kill = failPointFrom(process.env.WAYBILL_FAIL_POINT);
const failPoint = (point) => {
  reached[point] = (reached[point] ?? 0) + 1;
  kill?.(point);
};
const errors = [];
const path = join(directory, "waybill.db");
const always = [{ steps: [{ wait: 10 }, { say: "The port is 8080." }] }];
const waybill = await startEngine({
  store: openSqliteStore({ path, failPoint }),
  policy,
  lanes: runs.map(lane),
  teamFiles: { stateDirectory: directory, takeLock: lockDirectory, rescanMs: 200 },
  runtimes: (postMessage) => [
    new StubRuntime({
      ...{ journalPath: join(directory, "stub.jsonl"), clock: systemClock, postMessage },
      scripts: { default: { always } },
    }),
  ],
  failPoint,
  onError: ({ error }) => errors.push(String(error?.stack ?? error)),
});
const { store, asks } = waybill;

function lockDirectory(path) {
  const outcome = takeLock(path, Date.now());
  return outcome.taken ? { release: outcome.lock.release } : outcome.holder;
}

/** A person who decides once. */
const asked = [];
const answering = new Map();
function answerAsks() {
  for (const { id } of asks.list()) {
    if (answering.has(id)) continue;
    asked.push(id);
    answering.set(
      id,
      asks
        .answerOf(id)({ decision: "once" })
        .catch(() => answering.delete(id)),
    );
  }
}
store.onLog((items) => items.some(({ type }) => type === "ask") && answerAsks());
answerAsks();

// A person who makes the file writable once the problem is reported.
store.onLog((items) => {
  for (const { type, record } of items)
    if (type === "delivery" && record.laneId === "rex" && record.readCommitError !== null)
      chmodSync(file("rex"), 0o644);
});

if (!(await store.team("crew"))?.directory) {
  const served = Object.fromEntries(runs.map((name) => [name, name]));
  await importTeam({ directory: team, name: null, lanes: served }, waybill);
}
for (const [id, member] of messages) {
  await waybill.admission.admit({ id, to: { team: "crew", member }, from: "user", text: `About ${id}.` });
  await waybill.teamFiles.settled("crew");
}

/** Another program that did not know what was written in between. */
async function writeOlder() {
  const states = await Promise.all(["n1", "n2"].map((id) => store.handOver(memberAddress("nate"), id)));
  if (states.every((one) => one?.state === "handed_over")) renameSync(older, file("nate"));
}

function memberAddress(member) {
  return { kind: "member", team: "crew", member };
}

async function handOvers() {
  const { items } = await store.messages({ limit: 500 });
  const known = items.map(async ({ id, recipient }) => [id, await store.handOver(recipient, id)]);
  return (await Promise.all(known)).filter(([, handOver]) => handOver !== null);
}

const isRead = (inbox, id) => rowsIn(inbox).some((row) => row.messageId === id && row.read === true);
const has = (inbox, id) => rowsIn(inbox).some(({ messageId }) => messageId === id);

/** What still has to happen; null once everything has. */
async function whatIsMissing() {
  // A person has to repeat an answer that could not be written.
  answerAsks();
  if (existsSync(older)) {
    await writeOlder();
    return "the older file";
  }
  const { items } = await store.deliveries({ limit: 100 });
  for (const [laneId, count] of Object.entries(lanes)) {
    if (items.filter((record) => record.laneId === laneId).length !== count) return `messages of ${laneId}`;
  }
  const open = items.find((record) => record.status !== "responded" || isOutstanding(record));
  if (open) return `the end of ${open.messageId}, which is ${open.status}`;
  const written = await handOvers();
  if (written.length < messages.length + items.length) return "answers";
  const owed = written.find(([id, { inbox, state }]) => state !== "handed_over" || !has(inbox, id));
  if (owed) return `the row ${owed[0]}: ${JSON.stringify(owed[1])}`;
  const request = requests.find((id) => !isRead("team-lead", id) && !isRead("sid", id));
  if (request) return `the flag of ${request}`;
  if (!isRead("tom", "idle")) return "the flag of idle";
  return rowsIn("ben").length < 10 ? null : "the archive";
}

let missing = await whatIsMissing();
process.on("SIGTERM", () => {
  process.stderr.write(`it waits for ${missing}\n${errors.join("\n")}`);
  process.exit(1);
});
// Polls, because changes in other programs' files raise no event here.
while (missing !== null) {
  await pause(10);
  missing = await whatIsMissing();
}
await Promise.all(answering.values());
await waybill.teamFiles.settled("crew");
const { items: deliveries } = await store.deliveries({ limit: 100 });
const mail = await store.mailOf({ kind: "person", name: "user" }, 100);
const result = {
  reached,
  errors,
  asked,
  findings: await store.check(),
  deliveries: Object.fromEntries(
    deliveries.map(({ laneId, messageId, status, attempts, readCommittedAt, diagnostics }) => [
      `${laneId} ${messageId}`,
      { status, attempts, isRead: readCommittedAt !== null, diagnostics },
    ]),
  ),
  handOvers: Object.fromEntries((await handOvers()).map(([id, { inbox, state }]) => [id, `${inbox} ${state}`])),
  mail: mail.map(({ relayOfMessageId, from, text }) => [relayOfMessageId, from, text]).sort(),
  terminated: (await store.team("crew")).members.flatMap(({ name, terminatedAt }) => (terminatedAt ? [name] : [])),
};
await waybill.close();
process.stdout.write(JSON.stringify(result));
