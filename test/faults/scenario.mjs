/**
 * One run of a Waybill with a bit of everything, in its own process on the built program. It can be killed anywhere and
 * started again: it asks for the same things until they are done, as a client would, and then prints the outcome.
 * Usage: node scenario.mjs DIRECTORY, with WAYBILL_FAIL_POINT to be killed, with WAYBILL_TEST_MAILBOX=file for a
 * mailbox that commits reads in a second step, and with WAYBILL_TEST_CALLS for a record of the calls to the agent.
 * `node scenario.mjs DIRECTORY prepare` only makes the store from which a run starts.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { defaultPolicy } from "../../build/core/delivery/policy.js";
import { isOutstanding } from "../../build/core/delivery/record.js";
import { startEngine } from "../../build/daemon/wiring/start-engine.js";
import { failPointFrom } from "../../build/daemon/worker/fail-point.js";
import { clockOn, systemClock } from "../../build/platform/clock.js";
import { StubRuntime } from "../../build/runtimes/stub/runtime.js";
import { openSqliteStore } from "../../build/store/sqlite/sqlite-store.js";

const directory = process.argv[2];
const path = join(directory, "waybill.db");
const policy = {
  ...defaultPolicy,
  maxAttempts: 2,
  retryDelaysMs: [30],
  graceMs: 60,
  rereadMs: 20,
  firstReconcileDelayMs: 20,
  maxReconcileDelayMs: 200,
  submitLimitMs: 250,
  lateReconcileDelaysMs: [],
  watchdogConcurrency: 8,
  fileCheckMs: 30,
  fileWaitMs: 80,
  followUpMissingFiles: true,
  maxExchanges: 1,
};

const says = (text) => ({ steps: [{ say: text }] });
const scripts = {
  plain: {
    turns: [
      { when: "<empty>", steps: [] },
      { when: "<empty>", ...says("Answered at the second try.") },
      { when: "<silent>", steps: [] },
      { when: "<silent>", steps: [] },
      { when: "<silent>", ...says("Answered because a person insisted.") },
      { when: "<next>", ...says("Answered at once.") },
    ],
  },
  tools: {
    turns: [
      { when: "<works-on>", steps: [{ reply: "The port is 8080." }, { wait: 120 }, { tool: "bash" }] },
      { when: "<timeout>", arrival: "after_timeout", ...says("Port 8081.") },
      { when: "<lost>", arrival: "lost" },
      { when: "<lost>", ...says("Port 8082.") },
      { when: "<away>", arrival: "unavailable" },
      { when: "<away>", ...says("Port 8083.") },
    ],
  },
  people: {
    turns: [
      { when: "<stopped>", steps: [{ wait: 600_000 }] },
      { when: "<stale>", steps: [{ stale: true }] },
      { when: "<stale>", ...says("Answered in a fresh session.") },
    ],
  },
  files: {
    turns: [
      { when: "<quiet>", steps: [{ tool: "write" }] },
      { when: "few sentences", ...says("Renamed three files.") },
      { when: "<claims>", ...says("Wrote report.txt.") },
      { when: "not there: report.txt", ...says("It did not work out.") },
    ],
  },
  ahead: {
    turns: [
      { when: "<ahead>", steps: [] },
      { when: "<ahead>", ...says("Answered in time, by a clock that is right.") },
    ],
  },
  friend: { always: [says("Noted.")] },
  rebuilt: {
    turns: [{ when: "<sent>", steps: [{ wait: 100 }, { say: "Answered although the ledger had lost it." }] }],
    always: [says("Answered although the ledger had lost it before it was sent.")],
  },
};
const messages = [
  ["plain", "empty"],
  ["plain", "silent"],
  ["plain", "next"],
  ["tools", "works-on"],
  ["tools", "timeout"],
  ["tools", "lost"],
  ["tools", "away"],
  ["people", "stopped"],
  ["people", "withdrawn"],
  ["people", "stale"],
  ["files", "quiet"],
  ["files", "claims"],
  ["friend", "greeting"],
  ["friend", "held"],
];
/** The agent of another lane writes to this one, and one of its messages exceeds the limit. */
const sender = (to) => (to === "friend" ? { agent: { kind: "lane", lane: "plain" } } : {});
const expected = {
  empty: "responded",
  silent: "responded",
  next: "responded",
  "works-on": "responded",
  timeout: "responded",
  lost: "responded",
  away: "responded",
  stopped: "cancelled",
  withdrawn: "cancelled",
  stale: "responded",
  quiet: "responded",
  claims: "responded",
  greeting: "responded",
  held: "responded",
  ahead: "responded",
  sent: "responded",
  unrecorded: "responded",
};

const lane = (id) => ({
  id,
  team: null,
  member: null,
  runtime: "stub",
  directory,
  agent: null,
  model: null,
  displayName: null,
  contract: id === "tools" ? "tool" : "text",
  createdAt: 1,
});
const message = (to, id) => ({
  id,
  to: { lane: to },
  from: "user",
  text: `<${id}>`,
  ...(to === "files" ? { actionMode: "do" } : {}),
  ...(to === "friend" ? { actionMode: "notify" } : {}),
});

const recordsIn = (items) => items.flatMap((item) => (item.type === "delivery" ? [item.record] : []));

/** For the first run: its prompt must not be answered, nor its message read, before that run ends. */
const unanswered = { ...scripts, rebuilt: { turns: [{ when: "<sent>", steps: [{ hang: true }] }] } };

/**
 * With a clock that is an hour ahead: a message whose retry is scheduled, and two messages without records, as after a
 * restore. One of them was sent, the other was not.
 */
async function prepare() {
  const before = await startEngine({
    ...world({ scripts: unanswered }),
    policy: { ...policy, retryDelaysMs: [60_000] },
    clock: clockOn(() => Date.now() + 3_600_000),
    lanes: [lane("ahead"), lane("rebuilt")],
  });
  const reaches = (id, status) =>
    new Promise((resolve) => {
      before.store.onLog((items) => {
        if (recordsIn(items).some((record) => record.messageId === id && record.status === status)) resolve();
      });
    });
  const scheduled = reaches("ahead", "retry_scheduled");
  await before.admission.admit(message("ahead", "ahead"));
  await scheduled;
  const sent = reaches("sent", "accepted");
  await before.admission.admit(message("rebuilt", "sent"));
  await before.admission.admit(message("rebuilt", "unrecorded"));
  await sent;
  await before.close();
  const db = new Database(path);
  db.pragma("foreign_keys = ON");
  db.exec("DELETE FROM delivery WHERE lane_id = 'rebuilt'");
  db.close();
}

/** Commits reads in a second step, into a file; the first try for each message fails. */
function fileReads() {
  const file = join(directory, "reads.txt");
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return {
    commitsWithLedger: false,
    async commitRead({ messageId }) {
      const line = lines().includes(`tried ${messageId}`) ? `read ${messageId}` : `tried ${messageId}`;
      if (!lines().includes(line)) appendFileSync(file, `${line}\n`);
      return line.startsWith("read") ? { outcome: "committed" } : { outcome: "failed", error: "locked" };
    },
  };
}

function world({ scripts, failPoint = () => {} }) {
  return {
    store: openSqliteStore({ path, failPoint }),
    policy,
    ...(process.env.WAYBILL_TEST_MAILBOX === "file" ? { reads: fileReads() } : {}),
    // No team here has files.
    teamFiles: { stateDirectory: directory, takeLock: () => ({ release() {} }) },
    runtimes: (postMessage) => [
      new StubRuntime({ journalPath: join(directory, "stub.jsonl"), clock: systemClock, scripts, postMessage }),
    ],
  };
}

if (process.env.WAYBILL_TEST_CALLS) await import("../support/agents/record-stub-calls.mjs");
if (!existsSync(path)) await prepare();
if (process.argv[3] === "prepare") process.exit();

const reached = new Set();
const kill = failPointFrom(process.env.WAYBILL_FAIL_POINT);
const failPoint = (point) => {
  reached.add(point);
  kill?.(point);
};
const errors = [];
const waybill = await startEngine({
  ...world({ scripts, failPoint }),
  lanes: ["plain", "tools", "people", "files", "friend", "ahead", "rebuilt"].map(lane),
  failPoint,
  onError: ({ error }) => errors.push(String(error)),
});

let acting = Promise.resolve();
let sending = Promise.resolve();
const done = new Promise((resolve) => {
  const latest = new Map();
  const see = (record) => {
    if ((latest.get(record.messageId)?.version ?? 0) >= record.version) return;
    latest.set(record.messageId, record);
    acting = acting.then(() => act(record));
    const finished = Object.entries(expected).every(([id, status]) => {
      const found = latest.get(id);
      return found?.status === status && !isOutstanding(found);
    });
    if (finished) resolve(latest);
  };
  waybill.store.onLog((items) => recordsIn(items).forEach(see));
  sending = (async () => {
    for (const record of (await waybill.store.deliveries({ limit: 100 })).items) see(record);
    for (const [to, id] of messages) see((await waybill.admission.admit(message(to, id), sender(to))).delivery);
  })();
});

/** What people do: retry a failure, release a hold, withdraw a message behind a running turn, then stop that turn. */
async function act(record) {
  if (record.messageId === "silent" && record.status === "failed_terminal") {
    await waybill.interventions.retry(record.id, "person");
  }
  if (record.heldReason !== null && record.status === "pending") {
    await waybill.ledger.commit(record.id, [{ type: "released", at: systemClock.now(), by: "person" }]);
    void waybill.courier.moveLane(record.laneId);
  }
  const stopped = await waybill.store.deliveryOf("people", "stopped");
  const withdrawn = await waybill.store.deliveryOf("people", "withdrawn");
  if (stopped?.status !== "accepted" || !withdrawn) return;
  if (withdrawn.status === "pending") await waybill.interventions.withdraw(withdrawn.id, "person");
  await waybill.interventions.cancel(stopped.id, "person", "stopped_by_person");
}

const latest = await done;
await sending;
await acting;
const findings = await waybill.store.check();
const mail = await waybill.store.mailOf({ kind: "person", name: "user" }, 100);
await waybill.close();
process.stdout.write(
  JSON.stringify({
    reached: [...reached],
    findings,
    errors,
    outcomes: Object.fromEntries([...latest].map(([id, { status, attempts }]) => [id, { status, attempts }])),
    mail: mail.map((one) => [one.relayOfMessageId, one.from, one.text]).sort(),
  }),
);
