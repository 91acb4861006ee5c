/** Times, claims and follow-ups after the proof, on the real OpenCode server. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

let world: OpencodeWorld;
beforeAll(async () => {
  // Longer than a loaded machine takes between two activities, and shorter than the agent's long answer below.
  const policy = { fileCheckMs: 100, fileWaitMs: 400, followUpMissingFiles: true, stuckAfterMs: 12_000 };
  world = await new OpencodeWorld({ policy }).start();
});
afterAll(() => world.dispose());

const soon = () => AbortSignal.timeout(60_000);
const write = (name: string) => ({
  tools: [{ tool: "write", input: { filePath: join(world.work, name), content: "hello" } }],
});

test("an attempt records when it was sent, stored, started, finished and proven, in that order", async () => {
  world.script({ rules: [{ when: "six times seven", steps: [{ waitMs: 300, say: "Forty-two." }] }] });
  await world.send("times", "What is six times seven?");
  const [attempt] = (await world.reaches("times", "responded")).attemptList;
  const { submittedAt, storedAt, firstTokenAt, lastActivityAt, finishedAt, provenAt } = attempt ?? {};
  const times = [submittedAt, storedAt, firstTokenAt, finishedAt, provenAt];
  expect(times).toEqual(times.map(() => expect.any(Number)));
  expect(times).toEqual(times.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  // The row exists before the model produces any output.
  expect((firstTokenAt ?? 0) - (storedAt ?? 0)).toBeGreaterThanOrEqual(300);
  expect(lastActivityAt).toBeGreaterThanOrEqual(finishedAt ?? Number.POSITIVE_INFINITY);
});

test("an agent with a long answer is not stuck, although nothing is stored before its end", async () => {
  const say = "word ".repeat(150);
  world.script({ rules: [{ when: "speak for long", steps: [{ say, pieceLength: 5, pieceMs: 100 }] }] });
  await world.send("long", "Please speak for long.");
  expect(await world.reaches("long", "responded", "failed_terminal")).toMatchObject({
    status: "responded",
    repairs: 0,
  });
  expect(world.turns("speak for long")).toBe(1);
});

test("a session without any activity is stopped, and the message goes to a fresh one with a digest of the old one", async () => {
  world.script({
    rules: [
      { when: "get stuck", once: true, steps: [{ breaks: { how: "hang" } }] },
      { when: "get stuck", steps: [{ say: "Free again: 1 of 1." }] },
    ],
  });
  const before = await world.waybill.store.lane("lane");
  await world.send("stuck", "Please get stuck.");
  const record = await world.reaches("stuck", "responded", "failed_terminal");
  expect(record).toMatchObject({ status: "responded", attempts: 1, repairs: 1 });
  expect(record.attemptList.map(({ sends }) => sends)).toEqual([1, 1]);
  const after = await world.waybill.store.lane("lane");
  expect(after?.generation).toBe((before?.generation ?? 0) + 1);
  expect(record.runtimeSessionId).toBe(after?.sessionId);
  // Nothing keeps running in the abandoned session, and its history is passed on.
  const left = after && before?.sessionId && (await world.runtime.read(after, before.sessionId, 1, soon()));
  expect(left).toMatchObject({ status: "idle" });
  const turns = world.model.calls.filter(({ kind, prompt }) => kind === "turn" && prompt.includes("get stuck"));
  expect(turns.map(({ prompt }) => prompt.includes("word word"))).toEqual([false, true]);
  expect((await world.answers()).filter((text) => text.includes("Free again"))).toHaveLength(1);
});

test("changing files without any text is proof, and the agent is then asked once for a summary, which is the answer", async () => {
  world.script({
    rules: [
      { when: "silently", steps: [write("quiet.txt"), {}] },
      { when: "few sentences", steps: [{ say: "I wrote quiet.txt." }] },
    ],
  });
  await world.send("quiet", "Write it silently.", { actionMode: "do" });
  const proven = await world.reaches("quiet", "responded");
  expect(proven).toMatchObject({ proof: { by: "tool" }, readCommittedAt: expect.any(Number) });
  const record = await world.until("quiet", ({ turnEndedAt }) => turnEndedAt !== null);
  expect(record.attemptList.map(({ kind }) => kind)).toEqual(["prompt", "summary"]);
  expect(await world.answers()).toContain("I wrote quiet.txt.");
  expect([world.turns("silently"), world.turns("few sentences")]).toEqual([1, 1]);
});

test("files that an answer names are checked, and the agent is told which ones are missing", async () => {
  world.script({
    rules: [
      { when: "two files", steps: [write("one.txt"), { say: "Wrote one.txt and two.txt." }] },
      { when: "not there: two.txt", steps: [write("two.txt"), { say: "two.txt is written now." }] },
    ],
  });
  await world.send("claims", "Write two files.");
  const record = await world.until("claims", ({ turnEndedAt }) => turnEndedAt !== null);
  expect(record.diagnostics).toEqual(["claimed_file_missing:two.txt"]);
  expect(record.attemptList.map(({ kind }) => kind)).toEqual(["prompt", "follow_up"]);
  expect((await world.answers()).slice(-2)).toEqual(["Wrote one.txt and two.txt.", "two.txt is written now."]);
});
