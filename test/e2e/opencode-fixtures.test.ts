/** How a delivery must handle each kind of turn, on the real OpenCode server. The model counts the prompts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DeliveryRecord } from "../../src/core/delivery/record.ts";
import type { NewMessage } from "../../src/mail/message-schema.ts";
import { fault500 } from "../support/agents/fault-proxy.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const teamTools = fileURLToPath(new URL("fixtures/team-tools.mjs", import.meta.url));
const prompts = /\/prompt_async$/;
/** A message with a task has the longer grace time: a busy server may take seconds to store its prompt. */
const patient: Partial<NewMessage> = { taskRefs: [{ id: "9" }] };

let world: OpencodeWorld;
beforeAll(async () => {
  world = await new OpencodeWorld({
    behindProxy: true,
    lanes: [
      {},
      { id: "team", contract: "tool" },
      { id: "agent", agent: "nobody" },
      { id: "subagent", agent: "general" },
      { id: "model", model: "scripted/other" },
    ],
    policy: { submitLimitMs: 1000, readLimit: 3, graceForTaskMs: 30_000 },
    config: { mcp: { "agent-teams": { type: "local", command: [process.execPath, teamTools], enabled: true } } },
  }).start();
  writeFileSync(join(world.work, "notes.md"), "notes\n");
});
afterAll(() => world.dispose());

const toTeam = (id: string, text: string, more: Partial<NewMessage> = {}) =>
  world.send(id, text, { to: { lane: "team" }, ...more });
const teamReaches = (id: string, done: (record: DeliveryRecord) => boolean) => world.until(id, done, "team");
const responded = (record: DeliveryRecord) => record.status === "responded";
const retried = (record: DeliveryRecord) => record.attempts === 2;

describe("on a lane with the reply contract `tool`", () => {
  test("a task and a correlated message are a visible reply, through all steps of the turn", async () => {
    const reply = { to: "user", text: "Task 7 is under way: 3 files.", relayOfMessageId: "success" };
    world.script({
      rules: [
        {
          when: "take task 7",
          steps: [
            { tools: [{ tool: "task_start", input: { taskId: "7" } }] },
            { tools: [{ tool: "message_send", input: reply }] },
            { say: "Sent." },
          ],
        },
      ],
    });
    await toTeam("success", "Please take task 7.", { taskRefs: [{ id: "7", team: "builders" }] });
    const record = await teamReaches("success", responded);
    expect(record).toMatchObject({ attempts: 1, responseState: "responded_visible_message" });
    expect(record.proof).toMatchObject({ by: "visible_reply", visibleReply: { correlation: "relayOfMessageId" } });
    // Without the prefix that OpenCode adds to the name of an MCP server's tool.
    expect(record.observedToolNames).toEqual(["task_start", "message_send"]);
    expect(world.turns("take task 7")).toBe(1);
  });

  test("work on a task is enough for a task, even without text", async () => {
    world.script({ rules: [{ when: "take task 8", steps: [{ tools: [{ tool: "task_start" }] }, {}] }] });
    await toTeam("task", "Please take task 8.", { taskRefs: [{ id: "8", team: "builders" }] });
    expect(await teamReaches("task", responded)).toMatchObject({ attempts: 1, proof: { by: "tool" } });
  });

  test("a call that only identifies the agent does not answer", async () => {
    const briefing = { tools: [{ tool: "member_briefing" }] };
    world.script({
      rules: [
        { when: "who owns it", once: true, steps: [briefing, {}] },
        { when: "who owns it", steps: [{ say: "Ada owns it, since May." }] },
      ],
    });
    await toTeam("bootstrap", "Tell me: who owns it?");
    expect(await teamReaches("bootstrap", retried)).toMatchObject({ readCommittedAt: null });
    expect(await teamReaches("bootstrap", responded)).toMatchObject({ attempts: 2 });
  });

  test("a message that could not be sent does not answer", async () => {
    const failing = { tools: [{ tool: "message_send", input: { to: "user", text: "fail: 12 tests" } }] };
    world.script({
      rules: [
        { when: "how many tests", once: true, steps: [failing, {}] },
        { when: "how many tests", steps: [{ say: "There are 12 tests." }] },
      ],
    });
    await toTeam("errored", "Tell me: how many tests?");
    expect(await teamReaches("errored", retried)).toMatchObject({ readCommittedAt: null });
    expect(await teamReaches("errored", responded)).toMatchObject({ attempts: 2 });
  });

  test("a read-only tool does not answer a question", async () => {
    const looking = { tools: [{ tool: "read", input: { filePath: join(world.work, "notes.md") } }] };
    world.script({
      rules: [
        { when: "which documents", once: true, steps: [looking, {}] },
        { when: "which documents", steps: [{ say: "README.md alone." }] },
      ],
    });
    await toTeam("looked", "Tell me: which documents?");
    expect(await teamReaches("looked", retried)).toMatchObject({
      lastReason: "visible_reply_still_required",
      readCommittedAt: null,
    });
    await teamReaches("looked", responded);
  });

  test("plain text is an answer, with a remark", async () => {
    world.script({ rules: [{ when: "plainly", steps: [{ say: "The port is 8080." }] }] });
    await toTeam("plain", "Say it plainly.");
    const record = await teamReaches("plain", responded);
    expect(record).toMatchObject({ attempts: 1, responseState: "responded_plain_text" });
    expect(record.diagnostics).toContain("answered_in_plain_text");
  });
});

test("text before the end of a turn is not the answer, however final it sounds", async () => {
  const notes = { tool: "read", input: { filePath: join(world.work, "notes.md") } };
  world.script({
    rules: [
      {
        when: "read the notes",
        steps: [
          { say: "All of it is done: 3 notes.", tools: [notes] },
          { waitMs: 500, say: "There is 1 note." },
        ],
      },
    ],
  });
  await world.send("fragment", "Please read the notes.");
  await world.reaches("fragment", "responded");
  expect((await world.answers()).at(-1)).toBe("There is 1 note.");
});

test.each([
  { lane: "agent", reason: /^agent_unknown: nobody \(known: build, plan/ },
  { lane: "subagent", reason: /^agent_unknown: general/ },
  { lane: "model", reason: /^model_unknown: scripted\/other \(known: scripted\/scripted/ },
])(
  "an unknown $lane is refused before anything is sent, and the error lists the known ones",
  async ({ lane, reason }) => {
    world.script({});
    const id = `unknown-${lane}`;
    await world.send(id, `For the unknown ${lane}.`, { to: { lane } });
    const record = await world.until(id, ({ status }) => status === "failed_terminal", lane);
    expect(record.lastReason).toMatch(reason);
    expect(world.turns(`unknown ${lane}`)).toBe(0);
  },
);

describe("whatever else is in the session", () => {
  test("the answer to somebody else's prompt is not an answer to ours", async () => {
    world.script({
      rules: [
        { when: "what is mine", once: true, steps: [{}] },
        { when: "what is mine", steps: [{ say: "Yours: 5 files." }] },
        { when: "strange", steps: [{ say: "A foreign answer of 9 words." }] },
      ],
    });
    await world.send("mine", "Tell me what is mine.");
    const { runtimeSessionId } = await world.until("mine", (record) => record.responseState === "empty_assistant_turn");
    const parts = [{ type: "text", text: "something strange" }];
    await world.opencode.server.call("POST", `/session/${runtimeSessionId}/message`, { parts });
    expect(await world.reaches("mine", "responded")).toMatchObject({ attempts: 2 });
    const answers = await world.answers();
    expect(answers).toContain("Yours: 5 files.");
    expect(answers.join()).not.toContain("foreign");
  });

  test("a prompt that the short read does not reach is found by a full read, and not sent again", async () => {
    const looking = { tools: [{ tool: "read", input: { filePath: join(world.work, "notes.md") } }] };
    world.script({
      rules: [{ when: "dig deep", steps: [...Array<typeof looking>(30).fill(looking), { say: "Found 30 layers." }] }],
    });
    const before = world.opencode.proxy.requests.length;
    await world.send("long", "Please dig deep.");
    expect(await world.reaches("long", "responded")).toMatchObject({ attempts: 1 });
    const reads = world.opencode.proxy.requests.slice(before).filter((one) => /\/message(\?|$)/.test(one));
    expect(reads.some((one) => one.endsWith("?limit=3"))).toBe(true);
    expect(reads.some((one) => one.endsWith("?limit=24"))).toBe(true);
    expect(reads.some((one) => one.endsWith("/message"))).toBe(true);
    expect(world.turns("dig deep")).toBe(1);
  });

  test("of several unread messages one is outstanding, and they are answered in order, one at a time", async () => {
    const say = "Item {{1}} is done: 1 file.";
    // The first one takes longer than sending the others.
    const first = { when: "/item (1)/", steps: [{ waitMs: 3000, say }] };
    world.script({ rules: [first, { when: "/item (\\d)/", steps: [{ waitMs: 300, say }] }] });
    const ids = ["item-1", "item-2", "item-3"];
    for (const id of ids) await world.send(id, `Do item ${id.at(-1)}.`);
    await world.modelIsAsked("Do item 1");
    expect(await world.delivery("item-2")).toMatchObject({ status: "pending", attempts: 0 });
    for (const id of ids) await world.reaches(id, "responded");
    const calls = world.model.calls.filter((call) => call.prompt.includes("Do item"));
    expect(calls.map((call) => /item (\d)/.exec(call.prompt)?.[1])).toEqual(["1", "2", "3"]);
    for (const [place, call] of calls.slice(1).entries()) {
      expect(call.at).toBeGreaterThanOrEqual(calls[place]?.endedAt ?? Number.POSITIVE_INFINITY);
    }
  });
});

describe("when something fails after a prompt was accepted", () => {
  test("and its session was deleted, it goes to a fresh one, which spends no attempt", async () => {
    world.script({
      rules: [
        { when: "still there", once: true, steps: [{ breaks: { how: "hang" } }] },
        { when: "still there", steps: [{ say: "Here, in session 2." }] },
      ],
    });
    await world.send("stale", "Are you still there?");
    const { runtimeSessionId } = await world.reaches("stale", "accepted");
    await world.modelIsAsked("still there");
    await world.opencode.server.call("DELETE", `/session/${runtimeSessionId}`);
    const record = await world.reaches("stale", "responded");
    expect(record).toMatchObject({ attempts: 1, repairs: 1 });
    expect(record.runtimeSessionId).not.toBe(runtimeSessionId);
    expect(world.turns("still there")).toBe(2);
  });

  test("and Waybill was not running when it was answered, the next start finds the answer and sends nothing", async () => {
    world.script({ rules: [{ when: "while I am away", steps: [{ waitMs: 1500, say: "Done at 3:15, 7 files." }] }] });
    await world.send("restart", "Work while I am away.");
    const { runtimeSessionId } = await world.reaches("restart", "accepted");
    await world.modelIsAsked("while I am away");
    await world.stop();
    await world.opencode.rests(runtimeSessionId ?? "");
    await world.start();
    expect(await world.reaches("restart", "responded")).toMatchObject({ attempts: 1 });
    expect(await world.answers()).toContain("Done at 3:15, 7 files.");
    expect(world.turns("while I am away")).toBe(1);
  });
});

describe("when it is not known whether a prompt arrived", () => {
  test("because the response did not come in time, a read finds it, and nothing is sent again", async () => {
    world.script({ rules: [{ when: "no receipt", steps: [{ say: "Received in part 1." }] }] });
    world.opencode.proxy.fail("POST", prompts, { how: "hold" });
    await world.send("timeout", "There is no receipt.", patient);
    const record = await world.reaches("timeout", "responded");
    expect(record.attemptList).toMatchObject([{ sends: 1 }]);
    world.opencode.proxy.release();
    expect(world.turns("no receipt")).toBe(1);
  });

  test("because the connection broke, a read finds it, and nothing is sent again", async () => {
    world.script({ rules: [{ when: "broken line", steps: [{ say: "Received in part 2." }] }] });
    world.opencode.proxy.fail("POST", prompts, { how: "cut" });
    await world.send("cut", "There is a broken line.", patient);
    expect((await world.reaches("cut", "responded")).attemptList).toMatchObject([{ sends: 1 }]);
    expect(world.turns("broken line")).toBe(1);
  });

  test("and it did not, it is sent again with the same ids, after a read", async () => {
    world.script({ rules: [{ when: "lost letter", steps: [{ say: "Received in part 3." }] }] });
    world.opencode.proxy.fail("POST", prompts, fault500);
    await world.send("lost", "This is a lost letter.");
    expect((await world.reaches("lost", "responded")).attemptList).toMatchObject([{ sends: 2 }]);
    expect(world.turns("lost letter")).toBe(1);
  });
});
