/**
 * Facts in `docs/claude.md` that Waybill relies on, tested on the real program. A new version that
 * behaves differently fails here first.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import { ModelGates } from "../support/agents/model-gates.ts";
import { peerArguments, peerRule, tell } from "../support/claude/claude-peer.ts";
import type { ClaudeLine } from "../support/claude/claude-process.ts";
import { ClaudeWorld } from "../support/claude/claude-world.ts";

const bash = (command: string) => ({ tool: "Bash", input: { command, description: "works" } });
const choices = (...labels: string[]) => labels.map((label) => ({ label, description: `It is ${label}.` }));
const noMoney = { status: 400, message: "Your credit balance is too low to access the Anthropic API." };
const questions = [
  { question: "Which colour?", header: "Colour", options: choices("Red", "Blue"), multiSelect: false },
  { question: "Which fruits?", header: "Fruits", options: choices("Fig", "Plum"), multiSelect: true },
];
/** Unique to this run, so that it can be found. */
const longRest = `sleep 9${process.pid}`;
const script: ModelScriptInput = {
  rules: [
    peerRule,
    { when: "be quick", steps: [{ think: "Hm.", say: "Was quick." }] },
    { when: "take long", steps: [{ say: "Took long." }] },
    { when: "toil", steps: [{ tools: [bash("until [ -e enough ]; do sleep 0.05; done")] }, { say: "Toiled." }] },
    // For the notification that a task has ended.
    { when: "work", steps: [{ say: "I work." }] },
    { when: "touch", steps: [{ tools: [bash("touch one"), bash("touch two")] }, { say: "Touched." }] },
    { when: "labour", steps: [{ tools: [bash("sleep 60; echo laboured")] }, { say: "Laboured." }] },
    { when: "rest", steps: [{ tools: [bash(longRest)] }, { say: "Rested." }] },
    { when: "ask me", steps: [{ tools: [{ tool: "AskUserQuestion", input: { questions } }] }, { say: "{{result}}" }] },
    { when: "inner job", steps: [{ say: "Inside.", tools: [bash("touch inner")] }, { say: "Inner done." }] },
    {
      when: "delegate",
      steps: [
        {
          tools: [{ tool: "Task", input: { description: "d", prompt: "inner job", subagent_type: "general-purpose" } }],
        },
        { say: "Delegated." },
      ],
    },
    { when: "no money", steps: [{ error: noMoney }] },
    { when: "busy there", steps: [{ error: "rate_limit" }] },
    {
      when: "too long",
      steps: [
        { error: { status: 400, message: "prompt is too long: 2 tokens > 1 maximum" }, once: true },
        { say: "Fits." },
      ],
    },
    { when: "say nothing", steps: [{}] },
    {
      when: "use the server",
      steps: [{ tools: [{ tool: "echo_text", input: { text: "hey" } }] }, { say: "{{result}}" }],
    },
  ],
};

let world: ClaudeWorld;
let gates: ModelGates;
beforeAll(async () => {
  world = await new ClaudeWorld().open(script);
  gates = await new ModelGates(world.model.url).start();
});
afterAll(async () => {
  await world.close();
  await gates.close();
});

const isResult = (line: ClaudeLine) => line.type === "result";
const statesOf = (lines: readonly ClaudeLine[], uuid: string) =>
  lines.flatMap((line) => (line.type === "command_lifecycle" && line.command_uuid === uuid ? [line.state] : []));
const textOf = (row: ClaudeLine | undefined) => row?.message?.content?.[0]?.text ?? row?.message?.content;
const spoken = (rows: readonly ClaudeLine[]) => rows.filter(({ type }) => type === "user" || type === "assistant");

/** The chain from a row up to its prompt. */
function chainOf(rows: readonly ClaudeLine[], last: ClaudeLine | undefined): string[] {
  const byId = new Map(rows.filter(({ uuid }) => uuid !== undefined).map((row) => [row.uuid, row]));
  const chain: string[] = [];
  for (let row = last; row; row = byId.get(row.parentUuid ?? row.logicalParentUuid)) chain.push(row.uuid);
  return chain;
}

function newSession(...args: string[]) {
  const session = randomUUID();
  return { session, claude: world.start(["--session-id", session, ...args]) };
}

/** The tool of "toil" runs until then. */
function letToilEnd(): void {
  const path = join(world.directory, "enough");
  writeFileSync(path, "");
  onTestFinished(() => rmSync(path));
}

/** The first event of every answer. */
const firstByte = "message_start";

/** Its model is called, but answers only when the test lets the first byte pass. */
function newSessionWithoutAnswers() {
  const session = randomUUID();
  gates.holdBefore(firstByte);
  return { session, claude: world.start(["--session-id", session], { ANTHROPIC_BASE_URL: gates.url }) };
}

describe("a prompt", () => {
  test("is reported immediately, stored before the model answers, and replayed with the model's first byte", async () => {
    const { session, claude } = newSessionWithoutAnswers();
    const ready = claude.request("initialize");
    await claude.until((line) => line.type === "control_response" && line.response.request_id === ready);
    expect(claude.lines.some(({ subtype }) => subtype === "init")).toBe(false);
    expect(existsSync(world.transcriptPath(session))).toBe(false);

    const uuid = claude.prompt("take long");
    await world.modelIsAsked("take long");
    await claude.until((line) => line.command_uuid === uuid && line.state === "started");
    expect(statesOf(claude.lines, uuid)).toEqual(["queued", "started"]);
    const row = await world.row(session, (one) => one.uuid === uuid);
    expect(row).toMatchObject({ type: "user", promptSource: "sdk" });
    expect(claude.lines.some(({ isReplay }) => isReplay)).toBe(false);

    gates.letPass(firstByte);
    const result = await claude.result(uuid);
    expect(result).toMatchObject({ subtype: "success", is_error: false, terminal_reason: "completed", num_turns: 1 });
    await claude.until((line) => line.type === "command_lifecycle" && line.state === "completed");
    expect(claude.lines.filter((line) => line.uuid === uuid)).toMatchObject([{ type: "user", isReplay: true }]);
    const answer = await world.row(session, (one) => one.message?.stop_reason === "end_turn");
    const rows = world.rows(session);
    expect(chainOf(rows, answer)).toContain(uuid);
    expect(rows.some(isResult)).toBe(false);

    const from = claude.lines.length;
    claude.prompt("take long", uuid);
    await claude.until((line) => line.isReplay, from);
    const next = claude.prompt("be quick");
    expect(await claude.result(next)).toMatchObject({ usage: { output_tokens: expect.any(Number) } });
    expect(claude.lines.slice(from).filter(isResult)).toHaveLength(1);
    expect(world.asked("take long")).toBe(1);
    await claude.stop();
  });

  test("that arrives while a tool runs joins the turn: one result for both, and no separate user row", async () => {
    const { session, claude } = newSession("--allowedTools", "Bash");
    const first = claude.prompt("toil");
    await claude.until((line) => line.message?.content?.[0]?.type === "tool_use");
    const second = claude.prompt("be quick");
    await claude.until((line) => line.command_uuid === second && line.state === "queued");
    letToilEnd();
    expect((await claude.result(first)).user_message_uuids).toEqual([first, second]);
    expect(claude.lines.filter(isResult)).toHaveLength(1);
    await world.row(session, ({ attachment }) => attachment?.source_uuid === second);
    expect(world.rows(session).some(({ uuid }) => uuid === second)).toBe(false);
    await claude.stop();
  });

  test("that begins with a slash is a command to the program, and the model never sees it", async () => {
    const { claude } = newSession();
    const before = world.model.calls.length;
    expect(await claude.result(claude.prompt("/cost"))).toMatchObject({ num_turns: 0 });
    expect(world.model.calls.length).toBe(before);
    await claude.stop();
  });

  test("that is too long is compacted within its turn, and the answer is below the summary", async () => {
    const { session, claude } = newSession();
    for (const text of ["be quick", "be quick"]) await claude.result(claude.prompt(text));
    const uuid = claude.prompt("too long");
    expect(await claude.result(uuid)).toMatchObject({ is_error: false, result: "Fits." });
    const answer = await world.row(session, (row) => textOf(row) === "Fits.");
    const rows = world.rows(session);
    const boundary = rows.find(({ subtype }) => subtype === "compact_boundary");
    expect(boundary).toMatchObject({ parentUuid: null, logicalParentUuid: expect.any(String) });
    expect(rows.find(({ isCompactSummary }) => isCompactSummary)).toMatchObject({ summarizedTurnPromptUuids: [uuid] });
    expect(chainOf(rows, answer)).toEqual(expect.arrayContaining([boundary?.uuid, uuid]));
    await claude.stop();
  });

  test("with an empty answer is put to the model once more, and leaves no assistant row", async () => {
    const { session, claude } = newSession();
    expect(await claude.result(claude.prompt("say nothing"))).toMatchObject({ is_error: false, result: "" });
    await world.row(session, ({ isMeta }) => isMeta === true);
    expect(spoken(world.rows(session)).map(({ type, isMeta }) => [type, isMeta])).toEqual([
      ["user", undefined],
      ["user", true],
    ]);
    await claude.stop();
  });
});

describe("a process that was killed mid-turn", () => {
  test("before the first answer was complete runs the same id again after a resume", async () => {
    const { session, claude } = newSessionWithoutAnswers();
    const before = world.asked("take long");
    const uuid = claude.prompt("take long");
    await world.modelIsAsked("take long", before + 1);
    await world.row(session, (row) => row.uuid === uuid);
    await claude.stop();
    expect(spoken(world.rows(session)).map((row) => row.uuid)).toEqual([uuid]);

    const resumed = world.start(["--resume", session]);
    resumed.prompt("take long", uuid);
    expect(await resumed.result(uuid)).toMatchObject({ result: "Took long." });
    expect(world.asked("take long")).toBe(before + 2);
    await world.row(session, (row) => textOf(row) === "Took long.");
    const rows = spoken(world.rows(session));
    expect(rows.filter((row) => row.uuid === uuid)).toHaveLength(1);
    expect(rows.find((row) => row.message.model === "<synthetic>")).toMatchObject({ type: "assistant" });
    await resumed.stop();
  });

  test.each(["SIGKILL", "SIGTERM"] as const)(
    "by %s after an answer swallows the same id after a resume",
    async (signal) => {
      const { session, claude } = newSession();
      const uuid = claude.prompt("labour");
      await claude.until((line) => line.message?.content?.[0]?.type === "tool_use");
      await world.row(session, (row) => row.message?.stop_reason === "tool_use");
      claude.kill(signal);
      expect((await claude.exited).code).toBe(signal === "SIGTERM" ? 143 : null);
      const asked = world.model.calls.length;

      const resumed = world.start(["--resume", session]);
      resumed.prompt("labour", uuid);
      await resumed.until((line) => line.type === "command_lifecycle" && line.state === "completed");
      expect(resumed.lines.map(({ type, isReplay }) => [type, isReplay])).toEqual([
        ["user", true],
        ["command_lifecycle", undefined],
      ]);
      expect(world.model.calls.length).toBe(asked);
      expect(await resumed.result(resumed.prompt("be quick"))).toMatchObject({ result: "Was quick." });
      const added = await world.row(session, ({ message }) => message?.model === "<synthetic>");
      expect(added.message.content[0].text).toBe("No response requested.");
      await resumed.stop();
    },
  );
});

describe("a message from another session", () => {
  test("starts a turn that is reported immediately; its result has an origin and does not name the message", async () => {
    const { session, claude } = newSessionWithoutAnswers();
    gates.letPass(firstByte);
    await claude.result(claude.prompt("be quick"));
    gates.holdBefore(firstByte);
    const from = claude.lines.length;
    const peer = world.start(peerArguments);
    await tell(peer, world.home, session, "take long");
    const { command_uuid: uuid } = await claude.until(({ state }) => state === "started", from);
    expect(claude.lines.slice(from).some(({ type }) => type === "stream_event" || type === "assistant")).toBe(false);
    gates.letPass(firstByte);
    const result = await claude.until(isResult, from);
    expect(result).toMatchObject({ result: "Took long.", origin: { kind: "peer" } });
    expect(result.user_message_uuids ?? []).toEqual([]);
    await claude.until((line) => line.command_uuid === uuid && line.state === "completed");
    expect(statesOf(claude.lines, uuid)).toEqual(["started", "completed"]);
    const replayed = claude.lines.find((line) => line.uuid === uuid);
    expect(replayed).toMatchObject({ type: "user", isReplay: true, isSynthetic: true });
    expect(textOf(replayed)).toContain("take long");
    await world.row(session, (row) => row.type === "user" && row.uuid === uuid);
    await Promise.all([claude.stop(), peer.stop()]);
  });
});

test("a program that loses its reader finishes its turn and then exits", async () => {
  const { session, claude } = newSession("--allowedTools", "Bash");
  claude.prompt("toil");
  await claude.until((line) => line.message?.content?.[0]?.type === "tool_use");
  claude.child.stdin.destroy();
  claude.child.stdout.destroy();
  claude.child.stderr.destroy();
  letToilEnd();
  expect((await claude.exited).code).toBe(0);
  expect(textOf(world.rows(session).findLast(({ type }) => type === "assistant"))).toBe("Toiled.");
});

test("an unknown session cannot be resumed, and an existing one cannot be created", async () => {
  const { session, claude } = newSession();
  await claude.result(claude.prompt("be quick"));
  claude.child.stdin.end();
  expect((await claude.exited).code).toBe(0);
  const [again, unknown] = [world.start(["--session-id", session]), world.start(["--resume", randomUUID()])];
  expect([(await again.exited).code, (await unknown.exited).code]).toEqual([1, 1]);
  expect(again.stderr).toMatch(/is already in use/);
  expect(unknown.stderr).toMatch(/No conversation found/);
});

describe("an ask", () => {
  test("is answered with allow or deny and the turn continues; asks of one message come one after the other", async () => {
    const { claude } = newSession();
    const uuid = claude.prompt("touch");
    const first = await claude.ask();
    expect(first.request).toMatchObject({
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "touch one" },
    });
    expect(first.request.permission_suggestions[0]).toMatchObject({ type: "addRules", behavior: "allow" });
    const from = claude.lines.length;
    claude.answer(first, { behavior: "allow", updatedInput: first.request.input });
    const second = await claude.ask(from);
    claude.answer(second, { behavior: "deny", message: "Not that one." });
    const result = await claude.result(uuid);
    expect(result).toMatchObject({ is_error: false, result: "Touched.", permission_denials: [{ tool_name: "Bash" }] });
    expect([existsSync(join(world.directory, "one")), existsSync(join(world.directory, "two"))]).toEqual([true, false]);
    const denied = claude.lines.find((line) => line.message?.content?.[0]?.content === "Not that one.");
    expect(denied?.message.content[0]).toMatchObject({ type: "tool_result", is_error: true });

    const again = claude.lines.length;
    const stopped = claude.prompt("touch");
    claude.answer(await claude.ask(again), { behavior: "deny", message: "Stop.", interrupt: true });
    expect(await claude.result(stopped)).toMatchObject({ is_error: true, terminal_reason: "aborted_tools" });
    await claude.until((line) => line.command_uuid === stopped && line.state === "cancelled");

    const third = claude.lines.length;
    const broken = claude.prompt("touch");
    const open = await claude.ask(third);
    claude.request("interrupt");
    await claude.until((line) => line.type === "control_cancel_request" && line.request_id === open.request_id);
    expect(await claude.result(broken)).toMatchObject({ is_error: true, subtype: "error_during_execution" });
    await claude.stop();
  });

  test("comes if the flags name a mode, even if the project's settings allow edits", async () => {
    const settings = join(world.directory, ".claude");
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, "settings.json"), JSON.stringify({ permissions: { defaultMode: "acceptEdits" } }));
    try {
      const { claude } = newSession("--settings", JSON.stringify({ permissions: { defaultMode: "default" } }));
      claude.prompt("touch");
      expect((await claude.ask()).request).toMatchObject({ tool_name: "Bash", input: { command: "touch one" } });
      await claude.stop();
    } finally {
      rmSync(settings, { recursive: true });
    }
  });

  test("with questions is answered by their texts, several choices in one line", async () => {
    const { claude } = newSession();
    const uuid = claude.prompt("ask me");
    const ask = await claude.ask();
    expect(ask.request).toMatchObject({ tool_name: "AskUserQuestion", input: { questions } });
    const answers = { "Which colour?": "Red", "Which fruits?": "Fig, Plum" };
    claude.answer(ask, { behavior: "allow", updatedInput: { ...ask.request.input, answers } });
    expect((await claude.result(uuid)).result).toContain('"Which colour?"="Red", "Which fruits?"="Fig, Plum"');
    await claude.stop();
  });
});

test("an interrupt kills the tool, ends the turn as aborted, and appears in the transcript", async () => {
  const { session, claude } = newSession("--allowedTools", "Bash");
  const rests = async () => (await processTable()).some(({ command }) => command === longRest);
  const uuid = claude.prompt("rest");
  await expect.poll(rests).toBe(true);
  claude.request("interrupt");
  expect(await claude.result(uuid)).toMatchObject({
    subtype: "error_during_execution",
    terminal_reason: "aborted_tools",
  });
  await world.row(session, (row) => textOf(row) === "[Request interrupted by user for tool use]");
  await expect.poll(rests).toBe(false);
  await claude.stop();
});

describe("a provider error", () => {
  test("that is permanent ends the turn; its text is not an answer, and `subtype` is still success", async () => {
    const { session, claude } = newSession();
    const result = await claude.result(claude.prompt("no money"));
    expect(result).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" });
    expect(claude.lines.find(({ type }) => type === "assistant")).toMatchObject({
      error: "billing_error",
      is_api_error_message: true,
      message: { model: "<synthetic>" },
    });
    expect(await world.row(session, (row) => row.isApiErrorMessage)).toMatchObject({ error: "billing_error" });
    await claude.stop();
  });

  test("that is transient is retried as often as the environment says", async () => {
    const claude = world.start(["--session-id", randomUUID()], { CLAUDE_CODE_MAX_RETRIES: "1" });
    expect(await claude.result(claude.prompt("busy there"))).toMatchObject({ is_error: true, api_error_status: 429 });
    expect(claude.lines.filter(({ subtype }) => subtype === "api_retry")).toMatchObject([{ max_retries: 1 }]);
    await claude.stop();
  });
});

describe("a subagent", () => {
  test("without background tasks works within the turn, and its lines and asks name it", async () => {
    const { session, claude } = newSession();
    const uuid = claude.prompt("delegate");
    const ask = await claude.ask();
    expect(ask.request.agent_id).toEqual(expect.any(String));
    claude.answer(ask, { behavior: "allow" });
    expect(await claude.result(uuid)).toMatchObject({ result: "Delegated." });
    const call = claude.lines.find((line) => line.message?.content?.[0]?.name === "Task")?.message.content[0].id;
    const inside = claude.lines.filter((line) => line.type === "assistant" && line.parent_tool_use_id === call);
    expect(inside.length).toBeGreaterThan(0);
    expect(claude.lines.filter(isResult)).toHaveLength(1);
    expect(world.rows(session).some(({ isSidechain }) => isSidechain)).toBe(false);
    const file = world.transcriptPath(session).replace(/\.jsonl$/, `/subagents/agent-${ask.request.agent_id}.jsonl`);
    expect(existsSync(file)).toBe(true);
    await claude.stop();
  });

  test("by default continues after the end of the turn, and starts another turn", async () => {
    const env = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0" };
    const claude = world.start(["--session-id", randomUUID(), "--allowedTools", "Bash"], env);
    expect((await claude.result(claude.prompt("delegate"))).origin).toBeUndefined();
    const later = await claude.until((line) => isResult(line) && line.origin !== undefined);
    expect(later).toMatchObject({ origin: { kind: "task-notification" } });
    await claude.stop();
  });
});

test("tools of an MCP server are offered immediately, under its name", async () => {
  const path = join(world.home, "server.mjs");
  writeFileSync(path, tinyServer);
  const config = JSON.stringify({ mcpServers: { tiny: { command: process.execPath, args: [path] } } });
  const { claude } = newSession("--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__tiny");
  expect(await claude.result(claude.prompt("use the server"))).toMatchObject({ result: "echo hey" });
  const init = claude.lines.find(({ subtype }) => subtype === "init");
  expect(init?.tools).toContain("mcp__tiny__echo_text");
  await claude.stop();
});

const tinyServer = `
import { createInterface } from "node:readline";
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo_text", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: { text } }) => ({ content: [{ type: "text", text: "echo " + text }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;
