/** Deliveries on the real OpenCode server, with a scripted model that counts its calls. */
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoredMessage } from "../../src/runtimes/opencode/client/api.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

let world: OpencodeWorld;
beforeAll(async () => {
  world = new OpencodeWorld({
    lanes: [{}, { id: "linked", directory: "link" }],
    config: { permission: { bash: "ask" } },
  });
  symlinkSync(world.work, join(world.directory, "link"));
  await world.start();
});
afterAll(() => world.dispose());

const rowsOf = (session: string) => world.call<StoredMessage[]>("GET", `/session/${session}/message`);

describe("a turn on the real server", () => {
  test("that ends in text is an answer, with one prompt", async () => {
    world.script({ rules: [{ when: "six times seven", steps: [{ say: "Forty-two." }] }] });
    await world.send("text", "What is six times seven?");
    expect(await world.reaches("text", "responded")).toMatchObject({
      attempts: 1,
      responseState: "responded_plain_text",
    });
    expect(await world.answers()).toContain("Forty-two.");
    expect(world.turns("six times seven")).toBe(1);
  });

  test("that is empty is retried with new ids", async () => {
    world.script({
      rules: [
        { when: "build green", once: true, steps: [{}] },
        { when: "build green", steps: [{ say: "Yes: 412 tests." }] },
      ],
    });
    await world.send("empty", "Is the build green?");
    const record = await world.reaches("empty", "responded");
    expect(record.attempts).toBe(2);
    expect(new Set(record.attemptList.map((attempt) => attempt.messageId)).size).toBe(2);
    expect(await world.answers()).toContain("Yes: 412 tests.");
  });

  test("with a successful tool call proves that a task was done", async () => {
    world.script({
      rules: [
        {
          when: "write the file",
          steps: [
            { tools: [{ tool: "write", input: { filePath: join(world.work, "hello.txt"), content: "hello" } }] },
            { say: "Wrote hello.txt." },
          ],
        },
      ],
    });
    await world.send("tool", "Please write the file.", { actionMode: "do" });
    const record = await world.reaches("tool", "responded");
    expect(record.observedToolNames).toContain("write");
    expect(existsSync(join(world.work, "hello.txt"))).toBe(true);
  });

  test("that waits for a permission shows it immediately, and continues when it is granted", async () => {
    world.script({
      rules: [
        {
          when: "run echo",
          steps: [
            { tools: [{ tool: "bash", input: { command: "echo hi", description: "hi" } }] },
            { say: "It said hi." },
          ],
        },
      ],
    });
    await world.send("ask", "Please run echo.");
    await world.until("ask", (record) => record.responseState === "permission_blocked");
    const [ask] = world.waybill.asks.list();
    expect(ask).toMatchObject({ kind: "permission", title: expect.stringContaining("echo hi") });
    await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
    expect(await world.reaches("ask", "responded")).toMatchObject({ attempts: 1 });
    expect(await world.answers()).toContain("It said hi.");
  });

  test("accepts one answer to an ask, refuses a second one, and tolerates two concurrent stops", async () => {
    const echo = (what: string) => ({ tool: "bash", input: { command: `echo ${what}`, description: what } });
    const question = { question: "Which?", header: "Which", options: [{ label: "A", description: "a" }] };
    world.script({
      rules: [
        {
          when: "ask twice",
          steps: [
            { tools: [echo("one")] },
            { tools: [{ tool: "question", input: { questions: [question] } }] },
            { tools: [echo("two"), echo("three")] },
            { say: "Never said." },
          ],
        },
      ],
    });
    await world.send("twice", "Please ask twice.");
    await world.until("twice", (record) => record.responseState === "permission_blocked");
    const lane = (await world.waybill.store.lane("lane")) ?? raise();
    const answers = [["A"]];
    const answerTwice = async (id: string) => {
      await world.runtime.answer(lane, id, { decision: "once", answers });
      const second = world.waybill.interventions.answer(id, { decision: "once", answers });
      await expect(second).rejects.toMatchObject({
        code: "ask_unknown",
        hint: expect.stringContaining("waybill asks"),
      });
      const late = world.runtime.answer(lane, id, { decision: "reject" });
      await expect(late).rejects.toMatchObject({ code: "ask_unknown" });
      expect(world.waybill.asks.laneOf(id)).toBeNull();
    };
    await answerTwice(world.waybill.asks.list()[0]?.id ?? "");
    await world.until("twice", (record) => record.responseState === "question_blocked");
    await answerTwice(world.waybill.asks.list()[0]?.id ?? "");
    await world.until("twice", (record) => record.responseState === "permission_blocked");
    const stops = [1, 2, 3].map(() => world.runtime.abort(lane, lane.sessionId ?? "", AbortSignal.timeout(60_000)));
    await expect(Promise.all(stops)).resolves.toHaveLength(3);
    expect(await world.reaches("twice", "cancelled")).toMatchObject({ attempts: 1 });
  });

  test("in a linked directory is busy while it runs, and its ask is seen", async () => {
    const bash = { tool: "bash", input: { command: "echo linked", description: "hi" } };
    world.script({
      rules: [{ when: "through the link", steps: [{ tools: [bash] }, { waitMs: 2500, say: "Linked: 1." }] }],
    });
    await world.send("linked", "Go through the link.", { to: { lane: "linked" } });
    await world.until("linked", (record) => record.responseState === "permission_blocked", "linked");
    await world.waybill.interventions.answer(world.waybill.asks.list()[0]?.id ?? "", { decision: "once" });
    const record = await world.until("linked", ({ status }) => status === "responded", "linked");
    expect(record.attemptList).toMatchObject([{ sends: 1 }]);
    expect(world.turns("through the link")).toBe(1);
  });

  test("gets a new session once the lane has moved, but not before", async () => {
    world.script({ rules: [{ when: "where are you", steps: [{ say: "Here, in place 1." }] }] });
    const [before] = (await world.delivery("linked", "linked")).attemptList;
    const lane = await world.waybill.store.lane("linked");
    const directory = join(world.directory, "moved-here");
    mkdirSync(directory);
    const ask = async (id: string) => {
      await world.send(id, "And where are you?", { to: { lane: "linked" } });
      const record = await world.until(id, ({ status }) => status === "responded", "linked");
      return record.attemptList[0]?.sessionId;
    };
    expect(await ask("not-moved")).toBe(before?.sessionId);
    if (lane) await world.waybill.store.putLane({ ...lane, directory });
    const after = await ask("moved");
    expect(after).not.toBe(before?.sessionId);
    expect(await ask("moved-2")).toBe(after);
  });

  test("with a refused permission ends without a retry", async () => {
    world.script({
      rules: [
        {
          when: "run rm",
          steps: [{ tools: [{ tool: "bash", input: { command: "rm x", description: "rm" } }] }, { say: "Gone." }],
        },
      ],
    });
    await world.send("reject", "Please run rm.");
    await world.until("reject", (record) => record.responseState === "permission_blocked");
    await world.waybill.interventions.answer(world.waybill.asks.list()[0]?.id ?? "", { decision: "reject" });
    expect(await world.reaches("reject", "failed_terminal")).toMatchObject({ lastReason: "ask_rejected", attempts: 1 });
  });

  test("that asks a question gets its answer", async () => {
    const question = {
      question: "Which port?",
      header: "Port",
      options: [
        { label: "8080", description: "a" },
        { label: "9090", description: "b" },
      ],
    };
    world.script({
      rules: [
        {
          when: "ask me",
          steps: [{ tools: [{ tool: "question", input: { questions: [question] } }] }, { say: "Using {{result}}" }],
        },
      ],
    });
    await world.send("question", "Please ask me.");
    await world.until("question", (record) => record.responseState === "question_blocked");
    const [ask] = world.waybill.asks.list();
    expect(ask?.title).toContain("Which port?");
    await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once", answers: [["9090"]] });
    await world.reaches("question", "responded");
    expect((await world.answers()).at(-1)).toContain("9090");
  });

  test.each([
    ["billing", "insufficient_balance"],
    ["auth", "invalid_api_key"],
    ["auth", { status: 401, message: "Nobody knows this key." }],
  ] as const)(
    "that the provider rejects (%s: %j) fails immediately with a notice, pauses its lane, and is not retried",
    async (why, error) => {
      const id = `${why}-${JSON.stringify(error).length}`;
      world.script({ rules: [{ when: id, steps: [{ error }] }] });
      await world.send(id, `Please do ${id}.`);
      expect(await world.reaches(id, "failed_terminal")).toMatchObject({ lastReason: `provider_${why}`, attempts: 1 });
      expect(world.turns(id)).toBe(1);
      expect((await world.answers()).at(-1)).toContain(`was not answered (provider_${why})`);
      // Later messages wait until a person fixes it.
      expect(await world.waybill.store.lane("lane")).toMatchObject({ pausedReason: `provider_${why}` });
      await world.waybill.interventions.resume("lane");
    },
  );

  test("that a person stops is cancelled, and never retried", async () => {
    world.script({ rules: [{ when: "forever", steps: [{ breaks: { how: "hang" } }] }] });
    await world.send("stop", "Think forever.");
    await world.modelIsAsked("forever");
    await world.waybill.interventions.stop("lane", "user");
    expect(await world.until("stop", (record) => record.turnEndedAt !== null)).toMatchObject({ status: "cancelled" });
    expect(world.turns("forever")).toBe(1);
  });

  test("in which the server dies counts as interrupted and is retried, even if it was waiting for an ask", async () => {
    const bash = { tool: "bash", input: { command: "echo gone", description: "hi" } };
    world.script({
      rules: [
        { when: "survive", once: true, steps: [{ breaks: { how: "hang" } }] },
        { when: "survive", steps: [{ say: "Alive: 1 of 1." }] },
        { when: "outlive", once: true, steps: [{ tools: [bash] }] },
        { when: "outlive", steps: [{ say: "Outlived: 1 of 1." }] },
      ],
    });
    await world.send("crash", "Will you survive?");
    await world.send("outlive", "Please outlive your ask.", { to: { lane: "linked" } });
    await world.until("crash", (record) => record.status === "accepted");
    await world.modelIsAsked("survive");
    await world.until("outlive", (record) => record.responseState === "permission_blocked", "linked");
    const [ask] = world.waybill.asks.list();
    process.kill(-(world.supervisor.address()?.pid ?? 0), "SIGKILL");
    expect(await world.reaches("crash", "responded")).toMatchObject({ attempts: 2 });
    const outlived = await world.until("outlive", ({ status }) => status === "responded", "linked");
    expect(outlived).toMatchObject({ attempts: 2 });
    expect(await world.answers()).toEqual(expect.arrayContaining(["Alive: 1 of 1.", "Outlived: 1 of 1."]));
    expect(world.waybill.asks.list()).toEqual([]);
    const late = world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
    await expect(late).rejects.toMatchObject({ code: "ask_unknown" });
  });
});

describe("a compaction", () => {
  test("mid-turn is followed to the answer, and its summary is not an answer", async () => {
    const full = { usage: { input: 99_000, output: 100 } };
    const looking = [{ tool: "bash", input: { command: "echo full", description: "fills" } }];
    world.script({
      rules: [
        { when: "fill it up", steps: [{ tools: looking, ...full }] },
        { when: "/^Continue/", steps: [{ say: "Went on: 2 parts." }] },
      ],
    });
    await world.send("mid-turn", "Please fill it up.");
    await world.until("mid-turn", (record) => record.responseState === "permission_blocked");
    await world.waybill.interventions.answer(world.waybill.asks.list()[0]?.id ?? "", { decision: "once" });
    const record = await world.reaches("mid-turn", "responded");
    expect(record).toMatchObject({ attempts: 1 });
    const rows = await rowsOf(record.runtimeSessionId ?? "");
    expect(rows.some(({ info }) => info.role === "assistant" && info.summary === true)).toBe(true);
    expect((await world.answers()).at(-1)).toBe("Went on: 2 parts.");
  });

  test("after the answer makes the agent continue; the lane waits for that, and the answer stays the same", async () => {
    world.script({
      rules: [
        { when: "end full", steps: [{ say: "The answer is 17.", usage: { input: 99_000, output: 100 } }] },
        { when: "/^Continue/", steps: [{ waitMs: 500, say: "There is nothing else to do here." }] },
        { when: "what next", steps: [{ say: "Next is 18." }] },
      ],
    });
    await world.send("end-full", "Please end full.");
    await world.send("next", "Tell me what next.");
    await world.reaches("end-full", "responded");
    expect(await world.reaches("next", "responded")).toMatchObject({ attempts: 1 });
    expect((await world.answers()).slice(-2)).toEqual(["The answer is 17.", "Next is 18."]);
    expect(world.turns("end full")).toBe(1);
  });

  test("of a prompt that was too long repeats it under another id, and the answer is found there", async () => {
    world.script({
      rules: [
        { when: "too long", once: true, steps: [{ error: "context_length" }] },
        { when: "too long", steps: [{ say: "It fits now: 3 pages." }] },
      ],
    });
    await world.send("overflow", "This is too long.");
    const record = await world.reaches("overflow", "responded");
    expect(record).toMatchObject({ attempts: 1 });
    expect((await world.answers()).at(-1)).toBe("It fits now: 3 pages.");
    const answer = (await rowsOf(record.runtimeSessionId ?? "")).at(-1)?.info;
    expect(answer?.role === "assistant" && answer.parentID).not.toBe(record.deliveredUserMessageId);
  });
});

test("a subtask runs in its own session, and its ask appears in the lane and can be answered there", async () => {
  const task = { description: "count", prompt: "sub work", subagent_type: "general" };
  world.script({
    rules: [
      { when: "delegate it", steps: [{ tools: [{ tool: "task", input: task }] }, { say: "Counted below: 3." }] },
      {
        when: "sub work",
        steps: [
          { tools: [{ tool: "bash", input: { command: "echo sub", description: "x" } }] },
          { say: "I counted 3." },
        ],
      },
    ],
  });
  await world.send("subtask", "Please delegate it.");
  const { runtimeSessionId } = await world.until("subtask", (record) => record.responseState === "permission_blocked");
  const [ask] = world.waybill.asks.list();
  expect(ask).toMatchObject({ laneId: "lane", title: expect.stringContaining("echo sub") });
  const [child] = await world.call<{ id: string }[]>("GET", `/session/${runtimeSessionId}/children`);
  expect(await world.call("GET", "/permission")).toMatchObject([{ id: ask?.id, sessionID: child?.id }]);
  await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
  expect(await world.reaches("subtask", "responded")).toMatchObject({ attempts: 1 });
  expect((await world.answers()).at(-1)).toBe("Counted below: 3.");
});

function raise(): never {
  throw new Error("no lane");
}
