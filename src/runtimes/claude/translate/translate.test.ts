import { describe, expect, test } from "vitest";
import { ClaudeWatcher } from "../../../../test/support/claude/claude-fixture.ts";
import { eventLines } from "../../../../test/support/core/event-lines.ts";
import type { AgentSignal } from "../../process-pool/signal-publisher.ts";
import { lineName, lineTable } from "./line-table.ts";
import { ClaudeTranslator } from "./translate.ts";

type Line = Record<string, unknown>;

let count = 0;
/** Every line of the program has its own id. */
function line(type: string, more: Line = {}): string {
  count += 1;
  return JSON.stringify({ type, uuid: `line-${count}`, parent_tool_use_id: null, ...more });
}

const system = (subtype: string, more: Line = {}) => line("system", { subtype, ...more });
const piece = (event: Line) => line("stream_event", { event });
const lifecycle = (state: string, command_uuid = "u1") => line("command_lifecycle", { command_uuid, state });
const said = (id: string, ...content: Line[]) => line("assistant", { message: { id, model: "m", content } });
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, name = "Read", input: Line = {}) => ({ type: "tool_use", id, name, input });
const user = (content: unknown, more: Line = {}) => line("user", { message: { role: "user", content }, ...more });
const resultOf = (id: string, content: unknown = "fine", more: Line = {}, block: Line = {}) =>
  user([{ type: "tool_result", tool_use_id: id, content, ...block }], more);
const result = (more: Line = {}) =>
  line("result", { subtype: "success", is_error: false, terminal_reason: "completed", ...more });
const ask = (id: string, tool_name: string, input: Line, more: Line = {}) =>
  line("control_request", { request_id: id, request: { subtype: "can_use_tool", tool_name, input, ...more } });

function says(...lines: (string | Line)[]): AgentSignal[] {
  const translator = new ClaudeTranslator();
  translator.promptSent("u1", "go");
  return lines.flatMap((one) => translator.translate(one));
}

/** The signals of the last line, after the others. */
function lastSays(...lines: string[]): AgentSignal[] {
  const translator = new ClaudeTranslator();
  translator.promptSent("u1", "go");
  return lines.map((one) => translator.translate(one)).at(-1) ?? [];
}

function events(...lines: string[]): string[] {
  const watcher = new ClaudeWatcher();
  watcher.translator.promptSent("u1", "go");
  return eventLines(watcher.receive(lines).drafts);
}

/** The rows as they came to us; what they call lines are blocks of `assistant` and `user` lines in the real program. */
describe("Claude Code's lines: ", () => {
  const begun = [lifecycle("started")];
  test.each<[row: string, lines: string[], told: string[]]>([
    [
      "an assistant line with text and a call starts the message and the call, and ends neither message nor turn",
      [said("m1", text("I look."), call("c1"))],
      ["message begins", "delta", "tool_call Read"],
    ],
    [
      "a call is reported once, although its own line repeats it",
      [said("m1", call("c1")), said("m1", call("c1"))],
      ["message begins", "tool_call Read"],
    ],
    [
      "a tool result starts and ends the result, but not the turn",
      [said("m1", call("c1")), resultOf("c1")],
      ["message begins", "tool_call Read", "tool_result Read"],
    ],
    [
      "a stream event with text is a delta",
      [
        piece({ type: "message_start", message: { id: "m1", model: "m" } }),
        piece({ type: "content_block_start", index: 0, content_block: text("") }),
        piece({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } }),
      ],
      ["message begins", "delta"],
    ],
    [
      "the result ends the message and the turn, once each",
      [said("m1", text("Done!")), result({ user_message_uuids: ["u1"], result: "Done!" }), lifecycle("completed")],
      ["message begins", "delta", "message ends 'Done!'", "turn.ended completed"],
    ],
  ])("%s", (_row, lines, told) => {
    const all = events(...begun, ...lines).map((one) => (one === "item.delta" ? "delta" : one));
    expect(all).toEqual(["turn.started 1", "prompt 'go'", ...told]);
  });

  test("the end of the process after a result does not end another turn", () => {
    const watcher = new ClaudeWatcher().receive([lifecycle("started"), said("m1", text("Hi.")), result()]);
    const before = watcher.kept.length;
    watcher.take([{ type: "died" }, { type: "session_ended", reason: "exit 0" }]);
    expect(eventLines(watcher.kept.slice(before))).toEqual(["session.ended"]);
  });
});

describe("a prompt", () => {
  const prompt = { type: "prompt", message: "u1", parts: [{ type: "text", id: "u1:text", text: "go" }] };

  test.each(["queued", "started"])("is published when the program reports it as %s, before it replays it", (state) => {
    expect(says(lifecycle(state))).toEqual([prompt, { type: "busy" }]);
  });

  test("is published with its replayed line if nothing came before that", () => {
    expect(says(user([text("go")], { uuid: "u1", isReplay: true }))).toEqual([prompt, { type: "busy" }]);
  });

  test("from elsewhere is published with the text of its replayed line", () => {
    const told = says(lifecycle("started", "u9"), user([text("hello")], { uuid: "u9", isReplay: true }));
    const parts = [{ type: "text", id: "u9:text", text: "hello" }];
    expect(told).toEqual([{ type: "busy" }, { type: "prompt", message: "u9", parts }, { type: "busy" }]);
  });

  test("from elsewhere is answered in its own turn, which leaves nothing open", () => {
    const told = events(
      lifecycle("started", "u9"),
      user("hello", { uuid: "u9", isReplay: true }),
      said("m1", text("Hello to you.")),
      result({ origin: { kind: "peer" } }),
      lifecycle("completed", "u9"),
    );
    expect(told).toEqual([
      "turn.started 9",
      "prompt 'hello'",
      "message begins",
      "item.delta",
      "message ends 'Hello to you.'",
      "turn.ended completed",
    ]);
  });

  test("that joined another prompt's turn ends with it, and neither starts another turn", () => {
    const told = events(
      lifecycle("started", "u9"),
      user("hello", { uuid: "u9", isReplay: true }),
      said("m1", call("c1")),
      lifecycle("queued"),
      resultOf("c1"),
      lifecycle("started"),
      said("m2", text("Both.")),
      lifecycle("completed"),
      result({ origin: { kind: "peer" }, user_message_uuids: ["u1"] }),
      lifecycle("completed", "u9"),
    );
    expect(told.filter((one) => one.startsWith("turn."))).toEqual(["turn.started 9", "turn.ended completed"]);
  });

  test("with an image and a document names them", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const content = [text("see"), { type: "image", source }, { type: "document", title: "a.pdf", source: {} }];
    expect(says(user(content, { uuid: "u9", isReplay: true }))[0]).toMatchObject({
      parts: [
        { type: "text", text: "see" },
        { type: "image", mime: "image/png" },
        { type: "json", value: { type: "document", title: "a.pdf" } },
      ],
    });
  });

  test("that is over is not published when it is replayed again", () => {
    const again = user([text("go")], { uuid: "u1", isReplay: true });
    expect(lastSays(lifecycle("started"), result({ user_message_uuids: ["u1"] }), again)).toEqual([]);
  });

  test.each([
    ["completed", "interrupted"],
    ["cancelled", "aborted"],
    ["discarded", "aborted"],
    ["refused", "error"],
  ])("that the program does not run ends when it is reported as %s", (state, reason) => {
    const told = events(user([text("go")], { uuid: "u1", isReplay: true }), lifecycle(state));
    expect(told).toEqual(["turn.started 1", "prompt 'go'", `turn.ended ${reason}`]);
  });

  test("that ends before the turn it joined does not end that turn", () => {
    const more = [lifecycle("started"), lifecycle("queued", "u2"), said("m1", text("Both."))];
    expect(lastSays(...more, lifecycle("completed", "u2"))).toEqual([]);
  });

  test("that is still queued when another one ends is counted", () => {
    const ended = result({ user_message_uuids: ["u1"] });
    const told = lastSays(lifecycle("started"), lifecycle("queued", "u2"), said("m1", text("One.")), ended);
    expect(told.at(-1)).toEqual({ type: "rest", reason: "completed", queued: 1 });
  });
});

describe("a message", () => {
  const start = piece({ type: "message_start", message: { id: "m1", model: "m", usage: { input_tokens: 7 } } });
  const open = (index: number, content_block: Line) => piece({ type: "content_block_start", index, content_block });
  const delta = (index: number, more: Line) => piece({ type: "content_block_delta", index, delta: more });

  test("arrives as deltas and then complete, with reasoning and text apart", () => {
    const told = says(
      start,
      open(0, { type: "thinking", thinking: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "signature_delta", signature: "x" }),
      said("m1", { type: "thinking", thinking: "Hmm." }),
      open(1, text("")),
      delta(1, { type: "text_delta", text: "Ye" }),
      said("m1", text("Yes.")),
    );
    expect(told).toEqual([
      { type: "message", message: "m1", prompt: null },
      { type: "delta", message: "m1", part: "m1:reasoning", kind: "reasoning", text: "Hm" },
      { type: "part", message: "m1", part: "m1:reasoning", kind: "reasoning", text: "Hmm." },
      { type: "delta", message: "m1", part: "m1:text", kind: "text", text: "Ye" },
      { type: "part", message: "m1", part: "m1:text", kind: "text", text: "Yes." },
    ]);
  });

  test("with two texts keeps them apart", () => {
    const told = says(
      said("m1", text("One.")),
      said("m1", { type: "thinking", thinking: "Hm." }),
      said("m1", text("Two.")),
    );
    expect(told.flatMap((one) => (one.type === "part" ? [one.part] : []))).toEqual([
      "m1:text",
      "m1:reasoning",
      "m1:text:1",
    ]);
  });

  test("publishes a call while its input arrives", () => {
    const told = says(start, open(0, call("c1")), delta(0, { type: "input_json_delta", partial_json: '{"a' }));
    expect(told.slice(1)).toEqual([
      { type: "tool", message: "m1", call: "c1", name: "Read", state: { status: "pending" } },
      { type: "tool_input_delta", call: "c1", text: '{"a' },
    ]);
  });

  test("ends with its stop reason, and has the usage from its stream", () => {
    const usage = { output_tokens: 30, output_tokens_details: { thinking_tokens: 10 }, cache_read_input_tokens: 5 };
    const ends = piece({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });
    const tokens = { input: 7, output: 20, reasoning: 10, cacheRead: 5, cacheWrite: 0 };
    const done = { type: "message_done", message: "m1", error: null, usage: { tokens, cost: null, model: "m" } };
    expect(lastSays(start, said("m1", text("Yes.")), ends)).toEqual([done]);
    expect(lastSays(start, said("m1", text("Yes.")), ends, piece({ type: "message_stop" }))).toEqual([]);
  });

  test.each([
    ["the next message", said("m2", text("More."))],
    ["the next request to the model", system("status", { status: "requesting" })],
    ["the result", result()],
  ])("without a stream ends with %s, and its usage is unknown", (_what, next) => {
    const [first] = lastSays(said("m1", text("Yes.")), next);
    expect(first).toEqual({ type: "message_done", message: "m1", error: null, usage: null });
  });

  test("from the program itself is not an answer", () => {
    const made = line("assistant", { message: { id: "s1", model: "<synthetic>", content: [text("No response.")] } });
    expect(says(made)).toEqual([{ type: "status", id: "s1", name: "synthetic_text", value: { text: "No response." } }]);
  });

  test("with a provider error has failed, and its text is not an answer", () => {
    const message = { id: "e1", model: "<synthetic>", content: [text("Credit is low")] };
    const failed = line("assistant", { message, error: "billing_error", is_api_error_message: true });
    const told = events(lifecycle("started"), failed, result({ is_error: true, result: "Credit is low" }));
    expect(told.slice(2)).toEqual(["error Credit is low", "turn.ended error"]);
  });

  test("with one of the provider's tools contains the tool's result", () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } };
    const found = {
      type: "web_search_tool_result",
      tool_use_id: "s1",
      content: [{ type: "web_search_result", url: "u" }],
    };
    expect(lastSays(said("m1", search), said("m1", found))).toMatchObject([
      { type: "tool", call: "s1", name: "web_search", state: { status: "completed", input: { query: "q" } } },
    ]);
  });
});

describe("a tool's result", () => {
  const asked = said("m1", call("c1", "Edit", { file_path: "/a" }));
  const ended = (...lines: string[]) => lastSays(asked, ...lines);

  test("names images in its output", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
    expect(lastSays(said("m1", call("c1")), resultOf("c1", [text("see "), image]))).toMatchObject([
      { state: { output: "see [image image/png]" } },
    ]);
  });

  test("that is an error is published as one, and changes no file", () => {
    const failed = resultOf(
      "c1",
      "no",
      { tool_use_result: { filePath: "/a", structuredPatch: [] } },
      { is_error: true },
    );
    expect(ended(failed)).toMatchObject([{ type: "tool", state: { status: "error", output: "no", rejected: false } }]);
  });

  test("comes after the file change, since it may end the message", () => {
    const structuredPatch = [{ oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ["-a", "+b", "+c"] }];
    const told = ended(
      resultOf("c1", "ok", { tool_use_result: { filePath: "/a", originalFile: "a", structuredPatch } }),
    );
    const diff = "--- /a\n+++ /a\n@@ -3,1 +3,2 @@\n-a\n+b\n+c\n";
    expect(told).toMatchObject([
      { type: "file", message: "m1", file: { type: "file", path: "/a", change: "modified", diff } },
      { type: "tool", call: "c1", state: { status: "completed" } },
    ]);
  });

  test("of a plan publishes the whole plan", () => {
    const todos = [{ content: "Look", status: "pending" }];
    const told = lastSays(said("m1", call("c1", "TodoWrite", { todos })), resultOf("c1"));
    expect(told[0]).toEqual({ type: "plan", id: "plan:c1", value: todos });
  });

  test("of a task publishes the current state of all tasks", () => {
    const made = (id: string, number: string) => [
      said("m1", call(id, "TaskCreate", { subject: `Do ${number}` })),
      resultOf(id, "ok", { tool_use_result: { task: { id: number, subject: `Do ${number}` } } }),
    ];
    const changed = said("m1", call("c3", "TaskUpdate", { taskId: "2", status: "completed" }));
    const told = lastSays(...made("c1", "1"), ...made("c2", "2"), changed, resultOf("c3"));
    const value = [
      { id: "1", subject: "Do 1", status: "pending" },
      { id: "2", subject: "Do 2", status: "completed" },
    ];
    expect(told[0]).toEqual({ type: "plan", id: "plan:c3", value });
  });

  test("of a refused call differs from that of a stopped call", () => {
    const notRun = { tool_result_meta: [{ id: "c1", non_execution_kind: "user-rejected" }] };
    const denied = resultOf("c1", "no", notRun, { is_error: true });
    expect(ended(denied)).toMatchObject([
      { type: "message_done", error: { kind: "aborted" } },
      { type: "tool", state: { rejected: false } },
    ]);
    const translator = new ClaudeTranslator();
    for (const one of [asked, ask("a1", "Edit", {}, { tool_use_id: "c1" })]) translator.translate(one);
    translator.askAnswered("a1", { decision: "reject" });
    expect(translator.translate(denied)).toMatchObject([
      { type: "message_done", error: null },
      { type: "tool", state: { rejected: true } },
    ]);
  });

  test("without its call is unparsed", () => {
    expect(says(resultOf("c9"))).toMatchObject([{ type: "unparsed", raw: expect.stringContaining("c9") }]);
  });
});

describe("a subagent", () => {
  const below = { parent_tool_use_id: "c1", agent_id: "a1" };
  const task = said("m1", call("c1", "Task"));
  const inner = line("assistant", { message: { id: "m2", model: "m", content: [call("c2", "Bash")] }, ...below });

  test("has the call that it works for, and its own name", () => {
    const prompted = user([text("inner job")], { uuid: "p1", ...below });
    const told = says(task, prompted, inner).slice(2);
    expect(told).toEqual([
      expect.objectContaining({ type: "prompt", message: "p1", parent: "call:c1", nativeSession: "a1" }),
      { type: "message", message: "m2", prompt: null, parent: "call:c1", nativeSession: "a1" },
      expect.objectContaining({ type: "tool", call: "c2", nativeSession: "a1" }),
    ]);
  });

  test("that fails does not fail the turn", () => {
    const message = { id: "e2", model: "<synthetic>", content: [text("Too low")] };
    const failed = line("assistant", { message, is_api_error_message: true, ...below });
    const told = events(lifecycle("started"), task, failed, resultOf("c1"), said("m3", text("Never mind.")), result());
    expect(told.at(-1)).toBe("turn.ended completed");
  });

  test("ends its message before its call has its result", () => {
    expect(lastSays(task, inner, resultOf("c2", "ok", below), resultOf("c1"))).toMatchObject([
      { type: "message_done", message: "m2", nativeSession: "a1" },
      { type: "tool", call: "c1" },
    ]);
  });

  test("publishes its last words in its own session, without the program's notes", () => {
    const content = [text("<tools-used>Bash</tools-used>"), text("Inner done."), text("a note behind it")];
    const tool_use_result = { agentId: "a1", content, harnessNoteCount: 1, harnessTailCount: 1 };
    expect(lastSays(task, inner, resultOf("c2", "ok", below), resultOf("c1", "x", { tool_use_result }))).toMatchObject([
      { type: "message_done", message: "m2", nativeSession: "a1" },
      { type: "message", message: "c1:report", parent: "call:c1", nativeSession: "a1" },
      { type: "part", message: "c1:report", kind: "text", text: "Inner done.", nativeSession: "a1" },
      { type: "message_done", message: "c1:report", error: null, nativeSession: "a1" },
      { type: "tool", call: "c1" },
    ]);
  });

  test("that is stopped has only its own message stopped", () => {
    expect(lastSays(task, inner, user("[Request interrupted by user]", below))).toMatchObject([
      { type: "message_done", message: "m2", error: { kind: "aborted" }, nativeSession: "a1" },
    ]);
  });

  test("asks in its own name", () => {
    expect(says(ask("a1", "Bash", { command: "ls" }, { agent_id: "a7" }))).toMatchObject([
      { type: "permission", nativeSession: "a7" },
    ]);
  });
});

describe("an ask", () => {
  const questions = [
    { question: "Which colour?", header: "Colour", options: [{ label: "Red", description: "It is red." }] },
    { question: "Which fruits?", options: [{ label: "Fig" }, { label: "Plum" }], multiSelect: true },
  ];
  const permission = ask(
    "a1",
    "Bash",
    { command: "rm x" },
    { tool_use_id: "c1", permission_suggestions: [{ type: "t" }] },
  );
  const question = ask("q1", "AskUserQuestion", { questions }, { tool_use_id: "c2" });

  test("for a permission names the tool and its input", () => {
    const detail = { tool: "Bash", input: { command: "rm x" }, suggestions: [{ type: "t" }] };
    expect(says(permission)).toEqual([{ type: "permission", ask: "a1", title: "Bash: rm x", call: "c1", detail }]);
  });

  test("with questions publishes each of them with its choices", () => {
    expect(says(question)).toEqual([
      {
        type: "question",
        ask: "q1",
        call: "c2",
        questions: [
          {
            header: "Colour",
            question: "Which colour?",
            options: [{ label: "Red", description: "It is red." }],
            multiple: false,
          },
          {
            header: null,
            question: "Which fruits?",
            options: [
              { label: "Fig", description: null },
              { label: "Plum", description: null },
            ],
            multiple: true,
          },
        ],
      },
    ]);
  });

  test.each([
    ["once", permission, { type: "permission_over", ask: "a1", outcome: "once" }],
    ["always", permission, { type: "permission_over", ask: "a1", outcome: "always" }],
    ["reject", permission, { type: "permission_over", ask: "a1", outcome: "reject" }],
    ["once", question, { type: "question_over", ask: "q1", outcome: "answered", answers: [["Red"], ["Fig", "Plum"]] }],
    ["reject", question, { type: "question_over", ask: "q1", outcome: "reject", answers: null }],
  ] as const)("that was answered %s is over, once", (decision, asked, over) => {
    const translator = new ClaudeTranslator();
    translator.translate(asked);
    const answer = { decision, answers: [["Red"], ["Fig", "Plum"]] };
    expect(translator.askAnswered(over.ask, answer)).toEqual([over]);
    expect(translator.askAnswered(over.ask, answer)).toEqual([]);
  });

  test.each([
    ["permission", permission, { type: "permission_over", ask: "a1", outcome: "expired" }],
    ["question", question, { type: "question_over", ask: "q1", outcome: "expired", answers: null }],
  ])("for a %s that the program cancels is expired", (_what, asked, over) => {
    const { ask: request_id } = over;
    expect(lastSays(asked, line("control_cancel_request", { request_id }))).toEqual([over]);
  });
});

describe("a result", () => {
  const started = lifecycle("started");
  const used = (costUSD: number) => ({ big: { inputTokens: 5, outputTokens: 2, costUSD } });

  test("has the usage and cost of the turn, including subagents", () => {
    const told = lastSays(
      started,
      result({ model_usage_since_last_result: { ...used(0.5), small: { inputTokens: 1 } } }),
    );
    const tokens = { input: 6, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    expect(told).toContainEqual({ type: "turn_usage", tokens, cost: 0.5, model: null });
  });

  test.each([
    ["a new", false, 0.2],
    ["a resumed", true, null],
  ])("without the turn's own cost has the increase of the total of %s session, if known", (_what, resumed, first) => {
    const translator = new ClaudeTranslator({ resumed });
    const costs = [0.2, 0.5].map((total_cost_usd) => {
      const told = translator.translate(result({ total_cost_usd, usage: { input_tokens: 1 } }));
      const used = told.find(({ type }) => type === "turn_usage");
      return used?.type === "turn_usage" && used.cost !== null ? Number(used.cost.toFixed(6)) : null;
    });
    expect(costs).toEqual([first, 0.3]);
  });

  test.each([
    ["in the turn", { model_usage_since_last_result: {}, total_cost_usd: 3 }],
    ["in total", { total_cost_usd: 0, usage: { input_tokens: 0 } }],
  ])("without any usage %s publishes none", (_what, numbers) => {
    const told = lastSays(said("m1", text("Hi.")), result(numbers));
    expect(told.map(({ type }) => type)).toEqual(["message_done", "rest"]);
  });

  test.each<[string, Line, string | undefined, string | null]>([
    ["completed", {}, "completed", null],
    ["aborted_tools", { is_error: true, errors: ["[ede_diagnostic]"] }, "aborted", null],
    ["aborted_streaming", { is_error: true }, "aborted", null],
    ["api_error", { is_error: true, result: "No credit" }, "error", "No credit"],
    ["", { is_error: true, subtype: "error_during_execution", errors: ["Broke", "Twice"] }, "error", "Broke\nTwice"],
    ["max_turns", { is_error: true, subtype: "error_max_turns" }, "error", "error_max_turns"],
    ["hook_stopped", {}, undefined, null],
  ])("with the reason '%s' and %o ends the turn accordingly", (terminal_reason, more, reason, error) => {
    const told = lastSays(said("m1", text("Hi.")), result({ terminal_reason, ...more }));
    expect(told.at(-1)).toEqual({ type: "rest", ...(reason ? { reason } : {}), queued: 0 });
    expect(told.flatMap((one) => (one.type === "error" ? [one.message] : []))).toEqual(error === null ? [] : [error]);
  });

  test("of a turn without output still publishes a message, with the transcript's id", () => {
    expect(lastSays(started, result({ user_message_uuids: ["u1"] })).slice(0, 2)).toEqual([
      { type: "message", message: "u1:end", prompt: "u1" },
      { type: "message_done", message: "u1:end", error: null, usage: null },
    ]);
  });

  test("that does not name its prompts ends the oldest", () => {
    const told = lastSays(started, lifecycle("queued", "u2"), said("m1", text("Hi.")), result());
    expect(told.at(-1)).toMatchObject({ queued: 1 });
  });

  test("of a turn without a prompt ends no prompt", () => {
    const told = lastSays(lifecycle("queued"), said("m1", text("Task done.")), result({ origin: { kind: "task" } }));
    expect(told.at(-1)).toMatchObject({ type: "rest", queued: 1 });
  });

  test("after a stop ends an aborted turn, and no error is published", () => {
    const watcher = new ClaudeWatcher().receive([started, said("m1", text("Hi."))]);
    watcher.take(watcher.translator.interrupted());
    watcher.receive([
      user("[Request interrupted by user]"),
      result({ terminal_reason: "aborted_streaming", is_error: true }),
    ]);
    expect(eventLines(watcher.kept).slice(-2)).toEqual(["message ends failed 'Hi.'", "turn.ended aborted"]);
  });
});

describe("a status of the program", () => {
  test.each<[string, Line, object]>([
    ["compact_boundary", { compact_metadata: { trigger: "auto" } }, { name: "compaction" }],
    ["status", { status: "compacting" }, { name: "compacting" }],
    ["status", { status: null, compact_result: "failed" }, { name: "compaction", failed: true }],
    ["api_retry", { attempt: 1, error: "overloaded" }, { name: "retry", value: { event: "api_retry", attempt: 1 } }],
    ["hook_response", { outcome: "success", output: "seen" }, { name: "hook", value: { output: "seen" } }],
    ["hook_response", { outcome: "error" }, { name: "hook", failed: true }],
    ["task_started", { task_id: "t1" }, { name: "task", value: { task_id: "t1" } }],
    ["task_notification", { status: "failed" }, { name: "task", failed: true }],
    ["local_command_output", { content: "ok" }, { name: "command" }],
    ["init", { mcp_servers: [{ name: "x", status: "failed" }] }, { name: "mcp", failed: true }],
  ])("in a line %s with %o is an item", (subtype, more, item) => {
    expect(says(system(subtype, more))).toMatchObject([{ type: "status", ...item }]);
  });

  test.each([
    ["init", { mcp_servers: [{ name: "x", status: "connected" }] }],
    ["status", { status: null, compact_result: "success" }],
    ["thinking_tokens", { estimated_tokens: 3 }],
    ["session_state_changed", { state: "idle" }],
  ])("in a line %s with %o is ignored", (subtype, more) => {
    expect(says(system(subtype, more))).toEqual([]);
  });

  test("about missing tool servers is published once", () => {
    const missing = () => system("init", { mcp_servers: [{ name: "x", status: "failed" }] });
    expect(says(missing(), missing())).toHaveLength(1);
  });

  test("that the program writes to its model as the user is a note", () => {
    expect(says(user([text("Go on.")], { isSynthetic: true }))).toMatchObject([
      { type: "status", name: "note", value: { text: "Go on." } },
    ]);
  });

  test("that is very long is truncated", () => {
    const [told] = says(system("hook_response", { output: "x".repeat(50_000) }));
    expect(JSON.stringify(told).length).toBeLessThan(25_000);
  });
});

describe("a line that cannot be parsed", () => {
  test.each<[string, string]>([
    ["not JSON at all", "{oops"],
    ["a list", "[1]"],
    ["nothing", ""],
    ["an unknown type", line("hologram")],
    ["a type that every object has", line("constructor")],
    ["an unknown subtype", system("dream")],
    ["an unknown request", line("control_request", { request_id: "r1", request: { subtype: "juggle" } })],
    ["an unknown event", piece({ type: "message_flip" })],
    ["an unknown delta", piece({ type: "content_block_delta", delta: { type: "smell_delta" } })],
    ["a delta without a message", piece({ type: "content_block_delta", delta: { type: "text_delta", text: "x" } })],
    ["an answer without a message", line("assistant")],
    ["a request without a tool", line("control_request", { request_id: "r1", request: { subtype: "can_use_tool" } })],
    ["a lifecycle with an unknown state", lifecycle("levitated")],
    ["a lifecycle without a prompt", line("command_lifecycle", { state: "queued" })],
  ])("(%s) is published with its text", (_what, given) => {
    expect(says(given)).toEqual([{ type: "unparsed", reason: expect.any(String), raw: given.slice(0, 4000) }]);
  });

  test("is truncated if it is long", () => {
    const [told] = says("x".repeat(10_000));
    expect(told?.type === "unparsed" && told.raw.length).toBe(4000);
  });

  test("in one of several blocks does not affect the others", () => {
    const told = says(said("m1", text("Hi."), { type: "hologram", depth: 3 }));
    expect(told.map(({ type }) => type)).toEqual(["message", "part", "unparsed"]);
  });
});

test("each line that the table marks as translated is translated", () => {
  for (const [name, kind] of Object.entries(lineTable)) {
    if (kind !== "translate") continue;
    const [type, what, inner] = name.split("/");
    const event = {
      type: what,
      content_block: { type: inner, id: "c1" },
      delta: { type: inner },
      message: { id: "m1" },
    };
    const given = { type, subtype: what, request: { subtype: what, tool_name: "Bash" }, event };
    expect(lineName(given)).toBe(name);
    const more = {
      uuid: "l1",
      request_id: "r1",
      command_uuid: "u1",
      state: "queued",
      api_message_id: "m1",
      message: { id: "m1" },
    };
    expect(says({ ...given, ...more }).filter((one) => one.type === "unparsed")).toEqual([]);
  }
});
