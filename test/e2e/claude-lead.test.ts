/**
 * The lead of a team with inbox files, run by Waybill: the real headless Claude Code, which reads its input and no
 * file. Rows in its inbox file reach it as prompts, are proven, and are flagged as read after that.
 */
import { mkdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { DeliveryDetail, Message } from "../../src/client/index.ts";
import { ClaudeDaemon } from "../support/claude/claude-daemon.ts";
import { peerArguments, peerRule, tell } from "../support/claude/claude-peer.ts";
import type { ClaudeLine } from "../support/claude/claude-process.ts";
import { ClaudeProcess, claudeEnvironment } from "../support/claude/claude-process.ts";
import { StreamLog } from "../support/daemon/stream-log.ts";
import { DirectoryWatch } from "../support/files/directory-watch.ts";
import { aRow, TeamDirectory } from "../support/teams/team-directory.ts";

const workUntil = (name: string) => ({
  tool: "Bash",
  input: { command: `until [ -e ${name} ]; do sleep 0.05; done`, description: "works" },
});
const script: ModelScriptInput = {
  rules: [
    peerRule,
    {
      when: "/slowly work until (\\w+)/",
      steps: [{ waitMs: 800, tools: [workUntil("{{1}}")] }, { say: "Slowly done." }],
    },
    { when: "/work until (\\w+)/", steps: [{ tools: [workUntil("{{1}}")] }, { say: "Worked until {{1}}." }] },
  ],
  otherwise: [{ say: "Port 8080." }],
};

const daemon = new ClaudeDaemon();
const { program } = daemon;
const files = new TeamDirectory(join(program.directory, ".claude", "teams"));
const log = new StreamLog();
const watch = new DirectoryWatch([files.path, join(files.path, "inboxes")]);

daemon.onCall = () => watch.notify();

beforeAll(async () => {
  files.make(["team-lead", "nate", "zoe"]);
  watch.start();
  await daemon.start(script, ["lead"], ["lead"]);
  const imported = await program.run(["teams", "import", files.path, "--run", "team-lead=lead"]);
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  await log.open(program.client());
});
afterAll(async () => {
  log.close();
  watch.close();
  await daemon.dispose();
});

const letFinish = (name: string) => writeFileSync(join(daemon.directoryOf("lead"), name), "");
const flags = () => files.rows("team-lead").map(({ messageId, read }) => [messageId, read]);
/** The senders, texts and replies in an inbox file. */
const saidIn = (inbox: string) =>
  files.rows(inbox).map(({ from, text, relayOfMessageId }) => [from, text, relayOfMessageId ?? null]);
const turns = () => daemon.model.calls.filter(({ kind, step }) => kind === "turn" && step === 0);
const promptsOf = (id: string) => turns().filter(({ prompt }) => prompt.startsWith(`[waybill message ${id} from `));

const until = <T>(what: string, look: () => T | null | undefined | false) =>
  watch.until(look, 60_000, () => `${what} did not happen: ${JSON.stringify(flags())}`);
const isAsked = (text: string) =>
  until(`a turn about ${text}`, () => turns().find(({ prompt }) => prompt.includes(text)));
const isFlagged = (id: string) => until(`the read of ${id}`, () => files.row("team-lead", id)?.read === true);
const happens = (id: string, event: string) =>
  log.until("delivery", (one) => one.delivery.messageId === id && one.event === event);

async function deliveryOf(id: string): Promise<DeliveryDetail> {
  const { deliveries } = await program.client().deliveries({ lane: "lead", messageId: id });
  return program.client().delivery(deliveries[0]?.id ?? "");
}

/** Proven with one prompt, which has the attempt's id in the transcript and reached the model once. */
async function expectOnePrompt(id: string, more: object = {}): Promise<void> {
  const delivery = await deliveryOf(id);
  expect(delivery).toMatchObject({ status: "responded", attempts: 1, attemptList: [{ sends: 1 }], ...more });
  const [attempt] = delivery.attemptList;
  const rows = transcript(delivery.evidence.sessionId ?? "").filter(({ type, uuid }) => type === "user" && uuid);
  expect(rows.filter((row) => promptIn(row).startsWith(`[waybill message ${id} from `))).toMatchObject([
    { uuid: attempt?.runtimeMessageId },
  ]);
  expect(promptsOf(id)).toHaveLength(1);
}

function transcript(session: string): ClaudeLine[] {
  const folder = daemon.directoryOf("lead").replace(/[^a-zA-Z0-9]/g, "-");
  const path = join(program.directory, ".claude", "projects", folder, `${session}.jsonl`);
  const whole = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line));
}

function promptIn({ message }: ClaudeLine): string {
  return typeof message.content === "string" ? message.content : (message.content[0]?.text ?? "");
}

describe("rows for the lead", () => {
  test("become prompts one after the other, each flagged as read after its own proof and not before", async () => {
    const [m1, m2, m3] = ["nate", "user", "zoe"].map((from, index) =>
      aRow({ messageId: `m${index + 1}`, from, text: `Please work until m${index + 1}.`, extra: { of: from } }),
    );
    files.put("team-lead", [m1, m2, m3]);
    const read: string[] = [];
    for (const id of ["m1", "m2", "m3"]) {
      await isAsked(`message ${id} from`);
      expect(flags()).toEqual(["m1", "m2", "m3"].map((one) => [one, read.includes(one)]));
      letFinish(id);
      await isFlagged(id);
      const flaggedAt = statSync(files.file("team-lead")).mtimeMs;
      read.push(id);
      expect(flags()).toEqual(["m1", "m2", "m3"].map((one) => [one, read.includes(one)]));
      await expectOnePrompt(id, { source: "watcher", evidence: { proof: "plain_text" } });
      const { respondedAt } = await deliveryOf(id);
      expect(Date.parse(respondedAt ?? "")).toBeLessThanOrEqual(Math.ceil(flaggedAt));
    }
    expect(files.rows("team-lead")).toEqual([m1, m2, m3].map((row) => ({ ...row, read: true })));
  });

  test("are answered where their senders read: members in their inbox files, the person in both places", async () => {
    await until("the last answer", () => files.rows("zoe").length === 1);
    expect(saidIn("nate")).toEqual([["team-lead", "Worked until m1.", "m1"]]);
    expect(saidIn("user")).toEqual([["team-lead", "Worked until m2.", "m2"]]);
    expect(saidIn("zoe")).toEqual([["team-lead", "Worked until m3.", "m3"]]);
    const { messages } = await program.json<{ messages: Message[] }>("inbox");
    expect(messages).toMatchObject([{ from: "team-lead", text: "Worked until m2.", relayOfMessageId: "m2" }]);
  });

  test("do not include rows for native teammates or notifications from programs", async () => {
    const idle = JSON.stringify({ type: "idle_notification", from: "nate", idleReason: "available" });
    const row = aRow({ from: "zoe", text: "Please work until never." });
    files.add("nate", row);
    const sent = await program.run(["send", "--team", "crew", "--member", "nate", "--id", "m4", "To nate alone."]);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("inbox file") });
    files.add("team-lead", aRow({ messageId: "idle", text: idle }), aRow({ messageId: "m5", text: "Which port?" }));
    await isFlagged("m5");
    await isFlagged("idle");
    await until("the answer", () => files.rows("nate").length === 4);
    expect(saidIn("nate").slice(1)).toEqual([
      ["zoe", "Please work until never.", null],
      ["user", "To nate alone.", null],
      ["team-lead", "Port 8080.", "m5"],
    ]);
    expect(files.rows("nate")[1]).toEqual(row);
    expect(turns().map(({ prompt }) => /message (\w+) from/.exec(prompt)?.[1])).toEqual(["m1", "m2", "m3", "m5"]);
  });

  test("that arrive while it works wait, and are delivered once", async () => {
    files.add("team-lead", aRow({ messageId: "m6", text: "Please work until m6." }));
    await isAsked("message m6 from");
    files.add("team-lead", aRow({ messageId: "m7", text: "Which port?" }));
    await happens("m7", "admitted");
    expect(await deliveryOf("m7")).toMatchObject({ status: "pending", attempts: 0, queuedBehindMessageId: "m6" });
    expect([promptsOf("m7"), flags().at(-1)]).toEqual([[], ["m7", false]]);
    letFinish("m6");
    await isFlagged("m7");
    for (const id of ["m6", "m7"]) await expectOnePrompt(id);
    const [m6, m7] = [await deliveryOf("m6"), await deliveryOf("m7")];
    expect(Date.parse(m7.attemptList[0]?.submittedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(m6.respondedAt ?? ""));
  });
});

describe("a turn that Waybill did not start", () => {
  let session = "";
  let peer: ClaudeProcess;
  const env = () => claudeEnvironment(program.directory, daemon.model.url);
  /** From a position in the log: the prompts of the turns, and how the turns ended. */
  const turnsSince = (from: number) =>
    log.events.slice(from).flatMap((event) => {
      if (event.type === "turn.started") return [event.data.prompt];
      return event.type === "turn.ended" ? [event.data.reason] : [];
    });
  const toolRuns = (from: number) => log.until("item.started", ({ data }) => data.item.kind === "tool_call", from);
  beforeAll(async () => {
    session = (await deliveryOf("m7")).evidence.sessionId ?? "";
    peer = new ClaudeProcess({ args: peerArguments, directory: program.work, env: env() });
  });
  afterAll(() => peer.stop());

  test("but another session did is shown as such, and new messages wait for its end", async () => {
    const from = log.events.length;
    await tell(peer, program.directory, session, "slowly work until foreign");
    await isAsked("\nslowly work until foreign\n");
    // Now the model is working, and the program has printed nothing yet.
    files.add("team-lead", aRow({ messageId: "m8", text: "Which port?" }));
    await happens("m8", "admitted");
    await toolRuns(from);
    expect(await deliveryOf("m8")).toMatchObject({ status: "pending", attempts: 0 });
    letFinish("foreign");
    await isFlagged("m8");
    await expectOnePrompt("m8", { replies: [{ text: "Port 8080." }] });
    const foreign = transcript(session).find((row) => row.type === "user" && promptIn(row).includes("slowly work"));
    const ours = (await deliveryOf("m8")).attemptList[0]?.runtimeMessageId;
    await log.until("turn.ended", () => turnsSince(from).length === 4);
    expect(turnsSince(from)).toEqual([foreign?.uuid, "completed", ours, "completed"]);
    const items = log.of("item.completed").filter(({ data }) => data.item.kind === "message");
    expect(items.map(({ data }) => data.item.parts[0])).toContainEqual(
      expect.objectContaining({ text: "Slowly done." }),
    );
    expect((await program.client().messages({ q: "Slowly done" })).messages).toEqual([]);
  });

  test("and that arrives during a turn of ours joins that turn, and changes nothing about it", async () => {
    const from = log.events.length;
    files.add("team-lead", aRow({ messageId: "m9", text: "Please work until m9." }));
    await isAsked("message m9 from");
    await toolRuns(from);
    await tell(peer, program.directory, session, "just so that you know");
    letFinish("m9");
    await isFlagged("m9");
    await expectOnePrompt("m9", { replies: [{ text: "Worked until m9." }] });
    await log.until("item.completed", (event) => JSON.stringify(event).includes("just so that you know"), from);
    const ours = (await deliveryOf("m9")).attemptList[0]?.runtimeMessageId;
    expect(turnsSince(from).slice(0, 2)).toEqual([ours, "completed"]);
  });

  test("but a second program with the same session did disturbs no delivery", async () => {
    const args = ["--resume", session];
    const second = new ClaudeProcess({ args, directory: daemon.directoryOf("lead"), env: env() });
    const uuid = second.prompt("Please work until second.");
    await isAsked("work until second");
    files.add("team-lead", aRow({ messageId: "m10", text: "Which port?" }));
    await isFlagged("m10");
    letFinish("second");
    expect((await second.result(uuid)).result).toBe("Worked until second.");
    await second.stop();
    files.add("team-lead", aRow({ messageId: "m11", text: "Which port?" }));
    await isFlagged("m11");
    for (const id of ["m10", "m11"]) await expectOnePrompt(id, { replies: [{ text: "Port 8080." }] });
    expect(transcript(session).map((row) => row.uuid)).toContain(uuid);
  });
});

describe("a daemon that is killed", () => {
  const answersTo = (id: string) => files.rows("nate").filter(({ relayOfMessageId }) => relayOfMessageId === id);

  test("between the proof and the read flag flags the row when it is back, and sends nothing again", async () => {
    files.add("team-lead", aRow({ messageId: "k1", text: "Please work until k1." }));
    await isAsked("message k1 from");
    // No other process may write the file now. A lock that is not renewed would be taken for abandoned.
    const lock = `${files.file("team-lead")}.lock`;
    mkdirSync(lock);
    const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 1000);
    onTestFinished(() => clearInterval(renewing));
    letFinish("k1");
    await happens("k1", "proven");
    await program.kill();
    clearInterval(renewing);
    rmdirSync(lock);
    expect(flags().at(-1)).toEqual(["k1", false]);
    await program.up();
    await isFlagged("k1");
    await expectOnePrompt("k1");
    await until("its answer", () => answersTo("k1").length === 1);
  });

  test("mid-turn finds the answer when it is back, and delivers new messages once", async () => {
    files.add("team-lead", aRow({ messageId: "k2", text: "Please work until k2." }));
    await isAsked("message k2 from");
    await program.kill();
    files.add("team-lead", aRow({ messageId: "k3", text: "Which port?" }));
    await program.up();
    await happens("k3", "admitted");
    expect([promptsOf("k3"), flags().slice(-2)].flat()).toEqual([
      ["k2", false],
      ["k3", false],
    ]);
    letFinish("k2");
    await isFlagged("k2");
    await isFlagged("k3");
    for (const id of ["k2", "k3"]) await expectOnePrompt(id);
    await until("the answers", () => answersTo("k3").length === 1);
    expect(answersTo("k2")).toMatchObject([{ from: "team-lead", text: "Worked until k2." }]);
  });
});

test("every row was one prompt in the end, in the order of the file", () => {
  const rows = files.rows("team-lead").filter(({ messageId }) => messageId !== "idle");
  expect(rows.every(({ read }) => read === true)).toBe(true);
  const prompted = turns().flatMap(({ prompt }) => /^\[waybill message (\w+) from/.exec(prompt)?.[1] ?? []);
  expect(prompted).toEqual(rows.map(({ messageId }) => messageId));
});
