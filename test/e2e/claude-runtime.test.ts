import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ClaudeLanes } from "../support/claude/claude-lanes.ts";

let world: ClaudeLanes;
let count = 0;
/** A new one for each test, on the same lane. */
let id = "";

beforeAll(async () => {
  world = await new ClaudeLanes().start();
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  id = `m${count}`;
});

const write = (content: string) => ({ tool: "Write", input: { file_path: join(world.work, "note.txt"), content } });

/** Waits for the only open ask. */
async function theAsk() {
  await world.until(id, (record) => record.responseState.endsWith("_blocked"));
  const [ask] = world.waybill.asks.list();
  if (!ask) throw new Error("nothing is asked");
  return ask;
}

describe("a message to Claude Code", () => {
  test("is answered with the agent's text, with our own id, and the model is called once", async () => {
    world.script({ rules: [{ steps: [{ say: "Four." }] }] });
    await world.send(id, "two and two");
    const record = await world.reaches(id, "responded");
    expect(await world.answers()).toEqual(["Four."]);
    expect(world.turns("two and two")).toBe(1);
    expect(record.attemptList).toHaveLength(1);
    expect(record.deliveredUserMessageId).toBe(record.attemptList[0]?.messageId);
  });

  test("goes to the same session and the same program as the one before", async () => {
    const before = world.program();
    world.script({ rules: [{ steps: [{ say: "Again." }] }] });
    await world.send(id, "and again");
    await world.reaches(id, "responded");
    expect(world.program()).toEqual(before);
  });

  test("that begins with a slash is not a command to the program", async () => {
    world.script({ rules: [{ steps: [{ say: "I was asked about a path." }] }] });
    await world.send(id, "/compact");
    await world.reaches(id, "responded");
    expect(world.turns("/compact")).toBe(1);
  });

  test("with an empty answer is retried", async () => {
    // The program itself asks the model a second time before the turn ends.
    const silent = { once: true, steps: [{}] };
    world.script({ rules: [silent, silent, { steps: [{ say: "Now I say it." }] }] });
    await world.send(id, "say it");
    const record = await world.reaches(id, "responded");
    expect(record.attemptList.map(({ kind }) => kind)).toEqual(["prompt", "retry"]);
    expect((await world.answers()).at(-1)).toBe("Now I say it.");
  });

  test("that the provider rejects for billing fails with a notice, and is not retried", async () => {
    world.script({ rules: [{ steps: [{ error: "insufficient_balance" }] }] });
    await world.send(id, "expensive");
    const record = await world.reaches(id, "failed_terminal");
    expect(record.lastReason).toContain("provider_billing");
    expect(record.attemptList).toHaveLength(1);
    // Later messages wait until a person fixes it.
    expect(await world.waybill.store.lane("lane")).toMatchObject({ pausedReason: "provider_billing" });
    await world.waybill.interventions.resume("lane");
  });

  test("that a person stops is cancelled, and never retried", async () => {
    world.script({
      rules: [{ steps: [{ tools: [{ tool: "Bash", input: { command: "sleep 60" } }] }, { say: "no" }] }],
    });
    await world.send(id, "take your time");
    await world.until(id, (record) => record.status === "accepted");
    await world.modelIsAsked("take your time");
    await world.waybill.interventions.stop("lane", "user");
    const record = await world.until(id, ({ status, turnEndedAt }) => status === "cancelled" && turnEndedAt !== null);
    expect(record.lastReason).toBe("stopped_by_person");
    expect(world.turns("take your time")).toBe(1);
  });
});

describe("an ask of Claude Code", () => {
  test("blocks the delivery until a person allows it", async () => {
    world.script({ rules: [{ steps: [{ tools: [write("allowed")] }, { say: "Written." }] }] });
    await world.send(id, "write it");
    const ask = await theAsk();
    expect(ask).toMatchObject({
      kind: "permission",
      title: `Write: ${join(world.work, "note.txt")}`,
      ...write("allowed"),
    });
    expect(ask.call).toEqual(expect.any(String));
    await world.waybill.interventions.answer(ask.id, { decision: "once" });
    await world.reaches(id, "responded");
    expect(readFileSync(join(world.work, "note.txt"), "utf8")).toBe("allowed");
  });

  test("that a person refuses ends the turn and the message", async () => {
    writeFileSync(join(world.work, "note.txt"), "before");
    world.script({ rules: [{ steps: [{ tools: [write("refused")] }, { say: "Another way." }] }] });
    await world.send(id, "do not write it");
    await world.waybill.interventions.answer((await theAsk()).id, { decision: "reject" });
    const record = await world.reaches(id, "failed_terminal");
    expect(record.lastReason).toBe("ask_rejected");
    expect(readFileSync(join(world.work, "note.txt"), "utf8")).toBe("before");
  });

  test("with questions is answered with the person's choices", async () => {
    const question = (text: string) => ({
      question: text,
      header: text.slice(0, 10),
      options: [
        { label: "Red", description: "r" },
        { label: "Blue", description: "b" },
      ],
      multiSelect: false,
    });
    const input = { questions: [question("Which colour?"), question("Which other one?")] };
    world.script({ rules: [{ steps: [{ tools: [{ tool: "AskUserQuestion", input }] }, { say: "{{result}}" }] }] });
    await world.send(id, "ask me");
    const ask = await theAsk();
    expect(ask).toMatchObject({ kind: "question", title: "Which colour? / Which other one?" });
    expect(ask.questions.map(({ question }) => question)).toEqual(["Which colour?", "Which other one?"]);
    await world.waybill.interventions.answer(ask.id, { decision: "once", answers: [["Red"], ["Blue"]] });
    await world.reaches(id, "responded");
    expect((await world.answers()).at(-1)).toMatch(/Which colour\?.*Red.*Which other one\?.*Blue/s);
  });
});

test("when Waybill stops, no program and no record is left", async () => {
  await world.stop();
  expect(readdirSync(join(world.directory, "claude", "programs"))).toEqual([]);
  expect(existsSync(join(world.directory, "claude", "prompted"))).toBe(true);
  await world.start();
});
