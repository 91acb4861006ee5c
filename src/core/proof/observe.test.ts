import { describe, expect, test } from "vitest";
import { aMessage } from "../../../test/support/core/records.ts";
import { anAsk, anAttempt, answerRow, aSlice, aTool, toolRow, userRow } from "../../../test/support/core/transcript.ts";
import { promptText } from "../delivery/texts.ts";
import type { ToolCall, TranscriptRow, TranscriptSlice } from "../transcript/transcript.ts";
import { noEvidence } from "./observation.ts";
import type { ObserveInput } from "./observe.ts";
import { observe } from "./observe.ts";

function look(slices: TranscriptSlice | readonly TranscriptSlice[], input: Partial<ObserveInput> = {}) {
  return observe({
    slices: [slices].flat(),
    attempts: [anAttempt()],
    messageId: "m-1",
    replyRecipient: "user",
    takesIds: true,
    ...input,
  });
}

/** The session after the first attempt's prompt and these rows. */
function turn(...rows: readonly TranscriptRow[]): TranscriptSlice {
  return aSlice([userRow("prompt-1"), ...rows]);
}

function toolsAlone(...tools: readonly ToolCall[]): TranscriptSlice {
  return turn(toolRow("prompt-1", tools), answerRow("prompt-1"));
}

const reply = (input: Record<string, unknown> = {}, tool: Partial<ToolCall> = {}) =>
  aTool("message_send", { input: { to: "user", text: "It is blue.", relayOfMessageId: "m-1", ...input }, ...tool });
const failed = (name: string) => aTool(name, { status: "error", output: "boom" });
const rejected = (name: string) => aTool(name, { status: "error", output: "", rejected: true });

describe("anchor: with a runtime that takes ids, only the id finds the prompt", () => {
  test("the prompt is the user row with the attempt's id", () => {
    const seen = look(turn(answerRow("prompt-1", { text: "It is blue." })));
    expect(seen).toMatchObject({
      state: "responded_plain_text",
      found: true,
      deliveredUserMessageId: "prompt-1",
      assistantMessageId: "prompt-1-answer",
      newestRowId: "prompt-1-answer",
      evidence: { finalText: "It is blue." },
    });
  });

  test("a message that quotes another message's id proves nothing", () => {
    const seen = look(
      aSlice([
        userRow("other", { text: "[waybill message m-1 from user]\n\nprompt-1 and m-1: what about them?" }),
        answerRow("other", { text: "All done with m-1." }),
      ]),
    );
    expect(seen).toMatchObject({ state: "not_observed", found: false, evidence: noEvidence });
  });

  test("a row with that id that is not a user row is not the prompt", () => {
    const seen = look(aSlice([userRow("other"), answerRow("other", { id: "prompt-1", text: "It is blue." })]));
    expect(seen).toMatchObject({ state: "not_observed", found: false });
  });

  test("the latest user row is not taken for the prompt, and its answer does not count", () => {
    const seen = look(aSlice([userRow("typed-by-hand"), answerRow("typed-by-hand", { text: "It is blue." })]));
    expect(seen).toMatchObject({ state: "not_observed", reason: "delivered_user_message_not_found" });
  });

  test("an assistant row without a parent, or with another parent, is not a child", () => {
    const seen = look(
      turn(
        answerRow("prompt-1", { id: "orphan", parentId: null, text: "It is blue." }),
        userRow("later"),
        answerRow("later", { text: "It is red." }),
      ),
    );
    expect(seen).toMatchObject({ state: "prompt_delivered_no_assistant_message", evidence: noEvidence });
  });

  test("all children of a prompt count, wherever they are", () => {
    const seen = look(
      turn(
        answerRow("prompt-1", { id: "first" }),
        toolRow("prompt-1", [aTool("bash")]),
        userRow("later"),
        answerRow("prompt-1", { id: "last", text: "It is blue." }),
      ),
    );
    expect(seen.evidence).toMatchObject({ executions: ["bash"], finalText: "It is blue." });
    expect(seen.assistantMessageId).toBe("last");
  });
});

describe("anchor: compaction", () => {
  test("rows that continue the prompt belong to its turn, across several compactions", () => {
    const seen = look(
      turn(
        toolRow("prompt-1", [aTool("read")]),
        userRow("compacted-1", { continuesId: "prompt-1" }),
        toolRow("compacted-1", [aTool("bash")]),
        userRow("compacted-2", { continuesId: "compacted-1" }),
        answerRow("compacted-2", { text: "It is blue." }),
      ),
    );
    expect(seen.evidence).toMatchObject({ lookups: ["read"], executions: ["bash"], finalText: "It is blue." });
    expect(seen).toMatchObject({ deliveredUserMessageId: "prompt-1", laterPrompt: false });
  });

  test("a row that continues another prompt does not", () => {
    const seen = look(
      turn(
        userRow("other"),
        userRow("compacted", { continuesId: "other" }),
        answerRow("compacted", { text: "It is blue." }),
      ),
    );
    expect(seen).toMatchObject({ evidence: noEvidence, laterPrompt: true });
  });
});

test("anchor: a compacted row of another prompt is a later prompt", () => {
  expect(look(turn(userRow("compacted", { continuesId: "earlier" }))).laterPrompt).toBe(true);
});

describe("anchor: with a runtime that takes no ids, the marker at the start of the prompt finds it", () => {
  const marked = (id: string, messageId: string, text = "What colour is it?") =>
    userRow(id, { text: `[waybill message ${messageId} from user]\n\n${text}` });
  const byText = (rows: readonly TranscriptRow[], slice: Partial<TranscriptSlice> = {}, cursor: string | null = null) =>
    look(aSlice(rows, slice), { takesIds: false, attempts: [anAttempt({ prePromptCursor: cursor })] });

  test("a prompt written by Waybill is found, whatever the row's id", () => {
    const text = promptText({
      maxAttempts: 3,
      message: aMessage({ id: "m-1", text: "What colour is it?" }),
      contract: "text",
      attempt: anAttempt({ number: 2 }),
      takesIds: false,
      digest: "Your earlier session was lost.",
    });
    const seen = byText([userRow("u-7", { text }), answerRow("u-7", { text: "It is blue." })]);
    expect(seen).toMatchObject({ found: true, deliveredUserMessageId: "u-7", evidence: { finalText: "It is blue." } });
  });

  test("a message that quotes another message's id proves nothing", () => {
    const seen = byText([
      userRow("u-8", { text: "Earlier I wrote:\n[waybill message m-1 from user]\nWhat became of it?" }),
      answerRow("u-8", { text: "It is blue." }),
    ]);
    expect(seen).toMatchObject({ state: "not_observed", found: false, evidence: noEvidence });
  });

  test("the prompt of another message that quotes this one proves nothing", () => {
    const seen = byText([
      marked("u-8", "m-2", "See [waybill message m-1 from user]"),
      answerRow("u-8", { text: "It is blue." }),
    ]);
    expect(seen).toMatchObject({ found: false, evidence: noEvidence });
  });

  test("only a user row counts", () => {
    const quoting = answerRow("u-8", { text: "[waybill message m-1 from user] was about colours." });
    expect(byText([marked("u-8", "m-2"), quoting])).toMatchObject({ found: false });
  });

  test("rows before the pre-prompt cursor are ignored", () => {
    const rows = [
      marked("u-1", "m-1"),
      answerRow("u-1", { text: "It was red." }),
      marked("u-2", "m-1"),
      answerRow("u-2"),
    ];
    expect(byText(rows, {}, "u-1-answer")).toMatchObject({
      deliveredUserMessageId: "u-2",
      state: "empty_assistant_turn",
      evidence: { finalText: null },
    });
  });

  test("a single user row after the cursor that lost its start is taken for the prompt", () => {
    const rows = [userRow("old"), userRow("u-1", { text: "colour is it?" }), answerRow("u-1", { text: "It is blue." })];
    expect(byText(rows, {}, "old")).toMatchObject({ found: true, deliveredUserMessageId: "u-1" });
  });

  test("neither of two unmarked rows after the cursor is", () => {
    const rows = [userRow("u-1"), answerRow("u-1", { text: "It is blue." }), userRow("u-2")];
    expect(byText(rows)).toMatchObject({ state: "not_observed", found: false });
  });

  describe("when the cursor is missing from a complete transcript", () => {
    const attempts = [anAttempt({ prePromptCursor: "gone", submittedAt: 1000 })];
    const afterLoss = (rows: readonly TranscriptRow[]) => look(aSlice(rows), { takesIds: false, attempts });

    test("text typed before the prompt was sent is not taken for it, nor is its answer", () => {
      const rows = [userRow("typed", { text: "colour?" }), answerRow("typed", { text: "It is blue." })];
      expect(afterLoss(rows)).toMatchObject({ state: "not_observed", found: false, evidence: noEvidence });
    });

    test("a single row without its start is not taken for the prompt, however new it is", () => {
      const rows = [
        userRow("typed", { text: "colour?", createdAt: 2000 }),
        answerRow("typed", { text: "It is blue." }),
      ];
      expect(afterLoss(rows)).toMatchObject({ found: false, evidence: noEvidence });
    });

    test("an earlier prompt for the same message does not belong to a later attempt", () => {
      const rows = [{ ...marked("u-1", "m-1"), createdAt: 500 }, answerRow("u-1", { text: "It was red." })];
      expect(afterLoss(rows)).toMatchObject({ found: false, evidence: noEvidence });
    });

    test("a marked row that is newer than the send is the prompt", () => {
      const rows = [{ ...marked("u-2", "m-1"), createdAt: 1000 }, answerRow("u-2", { text: "It is blue." })];
      expect(afterLoss(rows)).toMatchObject({ found: true, evidence: { finalText: "It is blue." } });
    });
  });

  test("a cursor out of reach requires the full history", () => {
    const rows = [marked("u-5", "m-1"), answerRow("u-5", { text: "It is blue." })];
    expect(byText(rows, { complete: false }, "long-ago")).toMatchObject({ found: false, needsFullHistory: true });
  });
});

describe("limited slice: the full history is read only when the anchor is out of reach", () => {
  const others = [userRow("other"), answerRow("other", { text: "It is red." })];

  test.each([
    ["neither prompt nor cursor in a partial history", others, { complete: false }, "gone", true],
    ["no cursor, and a partial history", others, { complete: false }, null, true],
    ["the cursor in a partial history", others, { complete: false }, "other", false],
    ["the prompt in a partial history", [userRow("prompt-1")], { complete: false }, "gone", false],
    ["the whole history", others, { complete: true }, "gone", false],
  ] as const)("%s", (_, rows, slice, prePromptCursor, expected) => {
    const seen = look(aSlice(rows, slice), { attempts: [anAttempt({ prePromptCursor })] });
    expect(seen.needsFullHistory).toBe(expected);
  });

  test("an older attempt in another session can also require it", () => {
    const seen = look([aSlice(others, { sessionId: "old", complete: false }), turn()], {
      attempts: [
        anAttempt({ number: 1, sessionId: "old", messageId: "old-1" }),
        anAttempt({ number: 2, messageId: "prompt-1" }),
      ],
    });
    expect(seen.needsFullHistory).toBe(true);
  });
});

describe("proof priority: the first match determines the state", () => {
  const everything = [
    toolRow("prompt-1", [reply(), aTool("task_start"), aTool("unheard_of"), failed("bash")]),
    answerRow("prompt-1", { text: "It is blue." }),
  ];
  const at = (slice: Partial<TranscriptSlice>) => look(aSlice([userRow("prompt-1"), ...everything], slice)).state;

  test("1: session_stale comes before an ask, work and every answer", () => {
    expect(at({ status: "stale", asks: [anAsk("permission")] })).toBe("session_stale");
  });

  test("2: permission_blocked comes before busy and every answer", () => {
    expect(at({ status: "busy", asks: [anAsk("permission")] })).toBe("permission_blocked");
    expect(at({ status: "idle", asks: [anAsk("permission")] })).toBe("permission_blocked");
  });

  test("2: question_blocked has the same priority", () => {
    expect(at({ status: "busy", asks: [anAsk("question")] })).toBe("question_blocked");
  });

  test.each(["busy", "retry"] as const)(
    "3: prompt_not_indexed while the session is %s and the prompt is missing",
    (status) => {
      expect(look(aSlice([userRow("other")], { status })).state).toBe("prompt_not_indexed");
    },
  );

  test.each(["busy", "retry"] as const)("4: pending comes before every answer while the session is %s", (status) => {
    expect(at({ status })).toBe("pending");
  });

  test("4: pending while the session is busy and no answer has begun", () => {
    const seen = look(aSlice([userRow("prompt-1")], { status: "busy" }));
    expect(seen).toMatchObject({ state: "pending", found: true, settled: false, evidence: noEvidence });
  });

  test("5: responded_visible_message comes before tools, text and errored tools", () => {
    expect(at({})).toBe("responded_visible_message");
  });

  test.each(["task_start", "bash", "task_get", "read"])("6: %s is responded_non_visible_tool, before text", (name) => {
    const seen = look(
      turn(
        toolRow("prompt-1", [aTool("unheard_of"), aTool(name), failed("edit")]),
        answerRow("prompt-1", { text: "Blue." }),
      ),
    );
    expect(seen.state).toBe("responded_non_visible_tool");
  });

  test("7: an unknown tool is responded_tool_call, before text", () => {
    const seen = look(turn(toolRow("prompt-1", [aTool("unheard_of")]), answerRow("prompt-1", { text: "Blue." })));
    expect(seen.state).toBe("responded_tool_call");
  });

  test("8: responded_plain_text comes before tool_error", () => {
    const seen = look(turn(toolRow("prompt-1", [failed("bash")]), answerRow("prompt-1", { text: "Blue." })));
    expect(seen.state).toBe("responded_plain_text");
  });

  test("9: tool_error if every meaningful tool failed", () => {
    const seen = look(toolsAlone(aTool("member_briefing"), failed("bash"), failed("message_send")));
    expect(seen).toMatchObject({
      state: "tool_error",
      reason: "tool_error",
      evidence: { sent: [], executions: [], failedWork: ["bash"], finalText: null },
    });
  });

  test("10: empty_assistant_turn if a child says and does nothing", () => {
    expect(look(turn(answerRow("prompt-1")))).toMatchObject({ state: "empty_assistant_turn", evidence: noEvidence });
  });

  test("an ask of a child session also counts", () => {
    const ask = anAsk("permission", { sessionId: "a-subagent" });
    expect(look(aSlice([userRow("prompt-1")], { status: "busy", asks: [ask] }))).toMatchObject({
      state: "permission_blocked",
      reason: "permission_pending",
      settled: false,
    });
  });
});

describe("nothing seen", () => {
  test("a delivery without attempts shows nothing", () => {
    expect(look(turn(answerRow("prompt-1", { text: "Blue." })), { attempts: [] })).toMatchObject({
      state: "not_observed",
      settled: false,
    });
  });

  test("without a slice of the last attempt's session nothing is known or settled", () => {
    const seen = look(turn(answerRow("prompt-1", { text: "Blue." })), {
      attempts: [anAttempt(), anAttempt({ number: 2, sessionId: "unread" })],
    });
    expect(seen).toMatchObject({ state: "not_observed", settled: false, found: false, needsFullHistory: false });
  });

  test("an idle session without the prompt is not_observed, not prompt_not_indexed", () => {
    expect(look(aSlice([]))).toMatchObject({ state: "not_observed", found: false, settled: true, newestRowId: null });
  });

  test("an idle session in which the prompt never ran", () => {
    expect(look(turn())).toMatchObject({
      state: "prompt_delivered_no_assistant_message",
      reason: "never_run",
      found: true,
      turnEndedWell: false,
    });
  });
});

describe("coalescing: a later prompt in the same session", () => {
  test("a prompt without a child and with a later one was coalesced, not ignored", () => {
    const seen = look(turn(userRow("later"), answerRow("later", { text: "Blue." })));
    expect(seen).toMatchObject({
      state: "prompt_delivered_no_assistant_message",
      reason: "coalesced",
      laterPrompt: true,
      evidence: noEvidence,
    });
  });

  test("an earlier prompt is not a later one", () => {
    expect(look(aSlice([userRow("earlier"), answerRow("earlier"), userRow("prompt-1")])).laterPrompt).toBe(false);
  });

  test.each([
    ["after the cursor", [userRow("cursor"), userRow("later")], "cursor", true, true],
    ["only the cursor itself", [userRow("cursor")], "cursor", true, false],
    ["in a session that was empty before", [userRow("later")], null, true, true],
    ["an empty session", [], null, true, false],
    ["unknown, because the cursor is missing", [userRow("another")], "cursor", true, true],
    ["unknown, because the slice does not reach back", [answerRow("gone")], "cursor", false, true],
  ] as const)("if the delivery's own prompt is missing: %s", (_, rows, prePromptCursor, complete, expected) => {
    const seen = look(aSlice(rows, { complete }), { attempts: [anAttempt({ prePromptCursor })] });
    expect(seen).toMatchObject({ found: false, laterPrompt: expected });
  });
});

describe("interrupted only in an idle session", () => {
  const openRow = answerRow("prompt-1", { completedAt: null, finish: null });
  const runningTool = toolRow("prompt-1", [aTool("bash", { status: "running" })]);

  test.each([
    ["an open row", openRow],
    ["an open row with half a text", { ...openRow, text: "It is" }],
    ["a running tool", runningTool],
    ["a pending tool", toolRow("prompt-1", [aTool("bash", { status: "pending" })])],
  ])("%s in an idle session", (_, row) => {
    expect(look(turn(row))).toMatchObject({
      state: "interrupted",
      reason: "turn_interrupted",
      interrupted: true,
      settled: true,
      toolRunning: false,
      evidence: noEvidence,
    });
  });

  test.each([
    ["an open row", openRow, false],
    ["a running tool", runningTool, true],
  ])("%s in a busy session is work", (_, row, toolRunning) => {
    const seen = look(aSlice([userRow("prompt-1"), row], { status: "busy", lastActivityAt: 7 }));
    expect(seen).toMatchObject({
      state: "pending",
      interrupted: false,
      settled: false,
      toolRunning,
      lastActivityAt: 7,
    });
  });

  test("a running tool after finished ones is seen", () => {
    const rows = [userRow("prompt-1"), toolRow("prompt-1", [aTool("read")], { id: "before" }), runningTool];
    expect(look(aSlice(rows, { status: "busy" })).toolRunning).toBe(true);
  });

  test("work done before the turn was cut off counts", () => {
    const seen = look(turn(toolRow("prompt-1", [aTool("edit")]), openRow));
    expect(seen).toMatchObject({ state: "responded_non_visible_tool", interrupted: true });
  });

  test("an open row followed by a finished one is not an interruption", () => {
    expect(look(turn({ ...openRow, id: "first" }, answerRow("prompt-1", { text: "Blue." }))).interrupted).toBe(false);
  });
});

describe("settled: the session is idle and has no open ask", () => {
  test.each([
    ["idle", [], true],
    ["stale", [], true],
    ["busy", [], false],
    ["retry", [], false],
    ["idle", [anAsk("question")], false],
  ] as const)("%s with asks %j: %s", (status, asks, settled) => {
    expect(look(aSlice([userRow("prompt-1"), answerRow("prompt-1")], { status, asks })).settled).toBe(settled);
  });
});

describe("responses that do not count", () => {
  test("reasoning alone is not an answer", () => {
    const seen = look(turn(answerRow("prompt-1", { reasoning: "The user wants to know the colour. It is blue." })));
    expect(seen).toMatchObject({ state: "empty_assistant_turn", evidence: { finalText: null } });
  });

  test("a blank text is not an answer", () => {
    expect(look(turn(answerRow("prompt-1", { text: " \n\t" }))).state).toBe("empty_assistant_turn");
  });

  test.each([
    "runtime_bootstrap_checkin",
    "agent-teams_runtime_bootstrap_checkin",
    "mcp__agent-teams__runtime_bootstrap_checkin",
    "agent-teams_member_briefing",
    "waybill-lane_runtime_heartbeat",
    "process_register",
    "process_list",
  ])("bootstrap only: %s is not a response", (name) => {
    expect(look(toolsAlone(aTool(name)))).toMatchObject({ state: "empty_assistant_turn", evidence: noEvidence });
  });

  test("a failed bootstrap tool is not a tool_error either", () => {
    expect(look(toolsAlone(failed("member_briefing"))).state).toBe("empty_assistant_turn");
  });

  test("text between two tools is not the answer", () => {
    const seen = look(
      turn(
        toolRow("prompt-1", [aTool("read")], { id: "first", text: "There are 3 files." }),
        toolRow("prompt-1", [aTool("grep")]),
        answerRow("prompt-1"),
      ),
    );
    expect(seen).toMatchObject({
      state: "responded_non_visible_tool",
      evidence: { lookups: ["read", "grep"], finalText: null },
    });
  });

  test("text in the step of the last tool call is, if only empty steps follow", () => {
    const besideTool = toolRow("prompt-1", [aTool("edit")], { text: "It is blue." });
    const steps = (...rows: TranscriptRow[]) => look(turn(besideTool, ...rows)).evidence.finalText;
    expect(steps(answerRow("prompt-1"))).toBe("It is blue.");
    expect(steps(answerRow("prompt-1", { text: "\u200b" }), answerRow("prompt-1", { id: "b" }))).toBe("It is blue.");
    expect(steps(answerRow("prompt-1", { text: "It is red." }))).toBe("It is red.");
    expect(steps()).toBeNull();
    expect(steps(answerRow("prompt-1", { error: { kind: "failed", message: "boom" } }))).toBeNull();
  });

  test.each([
    ["a command that exits with 1", { exitCode: 1 }, false],
    ["a command that took too long", { timedOut: true }, false],
    ["a command that exits with 0, whatever it printed", { exitCode: 0, output: "error: none" }, true],
  ])("%s", (_, tool, done) => {
    const { evidence } = look(toolsAlone(aTool("bash", tool)));
    expect([evidence.executions, evidence.failedWork]).toEqual(done ? [["bash"], []] : [[], ["bash"]]);
  });

  test("a tool that its program reports as changing something is work, whatever its name", () => {
    expect(look(toolsAlone(aTool("unheard_of", { effect: "changes" }))).evidence.executions).toEqual(["unheard_of"]);
    expect(look(toolsAlone(aTool("unheard_of", { effect: "reads" }))).evidence.lookups).toEqual(["unheard_of"]);
    const files = [{ path: "a.ts", change: "modified", diff: null }] as const;
    expect(look(toolsAlone(aTool("unheard_of", { files }))).evidence.executions).toEqual(["unheard_of"]);
  });

  test.each([
    ["zero-width characters", "\u200b\u200d\ufeff"],
    ["reasoning", "<think>What is it?</think>"],
    ["a placeholder", "(no content)"],
    ["a tool call as text", '<tool_call>{"name":"read","arguments":{}}</tool_call>'],
  ])("a turn of only %s is an empty turn", (_, text) => {
    expect(look(turn(answerRow("prompt-1", { text })))).toMatchObject({
      state: "empty_assistant_turn",
      evidence: { finalText: null },
    });
  });

  test("the cleaned text is judged and shown, and the raw text is kept as well", () => {
    const text = "<think>Hm.</think>\n\nIt is\u200b blue.<|im_end|>";
    expect(look(turn(answerRow("prompt-1", { text }))).evidence).toMatchObject({
      finalText: "It is blue.",
      rawText: text,
    });
  });

  test.each([
    ["error status", failed("message_send")],
    ["a refusal by a person", rejected("message_send")],
    ["failure in its text", reply({}, { output: "Error: no member called user" })],
    ["failure in an envelope", reply({}, { output: '{"success":false}' })],
    ["no end", reply({}, { status: "running" })],
  ])("an errored message_send is not a visible reply: %s", (_, tool) => {
    const seen = look(toolsAlone(tool));
    expect(seen.evidence.sent).toEqual([]);
    expect(seen.state).toBe("tool_error");
  });

  test("a tool result that reports failure in its text is not a success, whatever its flag", () => {
    expect(look(toolsAlone(aTool("bash", { output: "fatal: not a git repository" })))).toMatchObject({
      state: "tool_error",
      evidence: { executions: [], failedWork: ["bash"] },
    });
  });

  test("one success among failures counts", () => {
    const seen = look(toolsAlone(failed("bash"), aTool("bash"), failed("edit")));
    expect(seen).toMatchObject({ state: "responded_non_visible_tool", evidence: { executions: ["bash"] } });
  });
});

describe("visible reply: what a message_send is linked to", () => {
  test.each([
    ["relayOfMessageId of this message", {}, "responded_visible_message", { relay: "this" }, false],
    [
      "none, to the expected recipient",
      { relayOfMessageId: undefined },
      "responded_visible_message",
      { relay: "none" },
      true,
    ],
    [
      "none, with the recipient in another case",
      { relayOfMessageId: " ", to: "USER" },
      "responded_visible_message",
      { relay: "none" },
      true,
    ],
    [
      "none, without a recipient",
      { relayOfMessageId: "", to: undefined },
      "responded_visible_message",
      { relay: "none" },
      true,
    ],
    [
      "none, to somebody else",
      { relayOfMessageId: "", to: "bob" },
      "responded_tool_call",
      { toReplyRecipient: false },
      false,
    ],
    ["another message", { relayOfMessageId: "m-2" }, "responded_tool_call", { relay: "another" }, false],
    [
      "an id that only starts the same",
      { relayOfMessageId: "m-10" },
      "responded_tool_call",
      { relay: "another" },
      false,
    ],
    ["this one, to somebody else", { to: "bob" }, "responded_tool_call", { toReplyRecipient: false }, false],
    [
      "a relay that is not a string",
      { relayOfMessageId: 1, to: "bob" },
      "responded_tool_call",
      { relay: "none" },
      false,
    ],
  ] as const)("%s", (_, input, state, sent, diagnosed) => {
    const seen = look(toolsAlone(reply(input)));
    expect(seen.state).toBe(state);
    expect(seen.evidence.sent).toMatchObject([sent]);
    expect(seen.diagnostics.includes("visible_reply_missing_relayOfMessageId")).toBe(diagnosed);
  });

  test("the recipient's name is not case-sensitive", () => {
    const seen = look(toolsAlone(reply({ relayOfMessageId: "", to: "team-lead" })), { replyRecipient: "Team-Lead" });
    expect(seen.state).toBe("responded_visible_message");
  });

  test("source alone links it to nothing", () => {
    const seen = look(toolsAlone(reply({ source: "runtime_delivery", relayOfMessageId: undefined, to: "bob" })));
    expect(seen.state).toBe("responded_tool_call");
  });

  test("text and summary are kept apart, as they were sent", () => {
    const seen = look(toolsAlone(reply({ text: " It is blue. ", summary: "Colour" }), reply({ text: "And red." })));
    expect(seen.evidence.sent).toEqual([
      { text: "It is blue.", summary: "Colour", outcome: null, relay: "this", toReplyRecipient: true },
      { text: "And red.", summary: null, outcome: null, relay: "this", toReplyRecipient: true },
    ]);
  });

  test.each(["agent-teams_message_send", "mcp__agent-teams__message_send", "waybill-lane_message_send"])(
    "%s is the same tool",
    (name) => {
      expect(look(toolsAlone({ ...reply(), name })).state).toBe("responded_visible_message");
    },
  );
});

describe("a send by Waybill's own tool is judged by its destination", () => {
  const own = (input: Record<string, unknown> = {}, tool: Partial<ToolCall> = {}) => ({
    ...reply(input, tool),
    name: "waybill-lane_message_send",
  });
  const arrived = { text: "It is blue.", isToSender: true, relayOfMessageId: "m-1" };

  test.each([
    ["its tool reports that it was sent", {}],
    ["its tool reports that it failed", { status: "error", output: "socket hang up" }],
    ["its tool reports in its text that it failed", { output: "Error: time-out" }],
  ] as const)("it counts if it is in the mailbox, even if %s", (_, tool) => {
    const { evidence, awaitsSend } = look(toolsAlone(own({}, tool)), { mailbox: [arrived] });
    expect([evidence.sent.length, evidence.failedSends, awaitsSend]).toEqual([1, [], false]);
  });

  test.each([
    ["nothing", []],
    ["another text", [{ ...arrived, text: "It is red." }]],
    ["another recipient", [{ ...arrived, isToSender: false }]],
    ["another message", [{ ...arrived, relayOfMessageId: "m-2" }]],
  ])("it does not count if the mailbox has %s, and is waited for", (_, mailbox) => {
    const { evidence, awaitsSend } = look(toolsAlone(own()), { mailbox });
    expect(evidence).toMatchObject({ sent: [], failedSends: [{ why: "not_arrived" }] });
    expect(awaitsSend).toBe(true);
  });

  test("it counts whatever name its agent used for the recipient", () => {
    const { evidence } = look(toolsAlone(own({ to: "team-lead" })), { mailbox: [arrived] });
    expect(evidence).toMatchObject({ sent: [{ toReplyRecipient: true }], failedSends: [] });
  });

  test("a send that its tool refused is not waited for", () => {
    const seen = look(toolsAlone(own({}, { output: '{"ok":false,"error":"The outcome is unknown."}' })), {
      mailbox: [],
    });
    expect(seen).toMatchObject({ awaitsSend: false, evidence: { failedSends: [{ why: "error" }] } });
  });
});

describe("a failed or misdirected reply", () => {
  test.each([
    [
      "an error status",
      reply({}, { status: "error", output: "The mailbox is full.\nat send()" }),
      "The mailbox is full.",
    ],
    ["an envelope", reply({}, { output: '{"delivered":false}' }), '{"delivered":false}'],
    [
      "the first line of its output",
      reply({}, { output: "Message was not delivered: offline" }),
      "Message was not delivered: offline",
    ],
    ["somebody else as its recipient", reply({ to: "bob" }), 'it went to "bob" instead of "user"'],
    ["somebody else's message id", reply({ relayOfMessageId: "m-2" }), 'it names message "m-2" instead of "m-1"'],
  ])("is recognised by %s", (_, tool, detail) => {
    expect(look(toolsAlone(tool)).evidence.failedSends).toMatchObject([{ detail, text: "It is blue." }]);
  });

  test.each([
    ["a separate message to somebody else", reply({ to: "bob", relayOfMessageId: "" })],
    ["a reply to somebody else's message", reply({ to: "bob", relayOfMessageId: "m-2" })],
    ["a send that a person refused", reply({}, { status: "error", rejected: true })],
  ])("does not include %s", (_, tool) => {
    expect(look(toolsAlone(tool)).evidence.failedSends).toEqual([]);
  });
});

test("tool names are normalised, sorted by what they show, and listed once", () => {
  const seen = look(
    toolsAlone(
      aTool("agent-teams_runtime_bootstrap_checkin"),
      aTool("agent-teams_task_get"),
      aTool("agent-teams_task_start"),
      aTool("mcp__agent-teams__task_add_comment"),
      aTool("Bash"),
      failed("bash"),
      aTool("read"),
      aTool("unheard_of"),
    ),
  );
  expect(seen.evidence).toMatchObject({
    taskChanges: ["task_start", "task_add_comment"],
    executions: ["bash"],
    lookups: ["task_get", "read"],
    others: ["unheard_of"],
  });
  expect(seen.toolNames).toEqual([
    "runtime_bootstrap_checkin",
    "task_get",
    "task_start",
    "task_add_comment",
    "bash",
    "read",
    "unheard_of",
  ]);
});

describe("errors", () => {
  test("an assistant error with partial text is a session_error, and the text is not an answer", () => {
    const error = { kind: "failed" as const, message: "socket hang up" };
    expect(look(turn(answerRow("prompt-1", { text: "It is bl", error })))).toMatchObject({
      state: "session_error",
      reason: "assistant_error",
      turnEndedWell: false,
      aborted: false,
      evidence: { finalText: null },
    });
  });

  test("work done before the error counts", () => {
    const error = { kind: "failed" as const, message: "socket hang up" };
    const seen = look(turn(toolRow("prompt-1", [aTool("edit")]), answerRow("prompt-1", { error })));
    expect(seen).toMatchObject({ state: "responded_non_visible_tool", turnEndedWell: false });
  });

  test("a stop in the session is distinguished from an error", () => {
    const error = { kind: "aborted" as const, message: "aborted" };
    expect(look(turn(answerRow("prompt-1", { error })))).toMatchObject({
      state: "session_error",
      aborted: true,
      turnEndedWell: false,
    });
  });

  test("a stop no longer counts once the agent continued", () => {
    const stopped = answerRow("prompt-1", { id: "stopped", error: { kind: "aborted", message: "" } });
    expect(look(turn(stopped, answerRow("prompt-1", { text: "Blue." })))).toMatchObject({
      state: "responded_plain_text",
      aborted: false,
    });
  });

  test("a provider error is named", () => {
    const error = { kind: "failed" as const, message: "429 Too Many Requests" };
    expect(look(turn(answerRow("prompt-1", { error })))).toMatchObject({
      state: "session_error",
      reason: "provider_rate_limit",
      providerError: "rate_limit",
      diagnostics: ["provider_error_rate_limit"],
    });
  });

  test("a provider error as plain text is never proof", () => {
    expect(look(turn(answerRow("prompt-1", { text: "Credit balance is too low" })))).toMatchObject({
      state: "session_error",
      reason: "answer_reads_like_provider_error",
      providerError: "billing",
      turnEndedWell: false,
      evidence: { finalText: null, noticeText: "Credit balance is too low" },
    });
  });

  test("a provider error that the agent recovered from no longer counts, and one that came last does", () => {
    const limited = answerRow("prompt-1", { id: "limited", error: { kind: "failed", message: "429 rate limit" } });
    const answered = answerRow("prompt-1", { text: "It is blue." });
    expect(look(turn(limited, answered))).toMatchObject({ providerError: null, turnEndedWell: true });
    expect(look(turn(answered, limited))).toMatchObject({ providerError: "rate_limit", turnEndedWell: false });
  });

  test("an answer that mentions a provider error is an answer", () => {
    const text = "The nightly job failed with 429 Too Many Requests; I lowered its rate.";
    expect(look(turn(answerRow("prompt-1", { text })))).toMatchObject({
      state: "responded_plain_text",
      providerError: null,
      turnEndedWell: true,
      evidence: { finalText: text },
    });
  });

  test("a cut-off answer counts, with a diagnostic", () => {
    expect(look(turn(answerRow("prompt-1", { text: "It is blue and", finish: "length" })))).toMatchObject({
      state: "responded_plain_text",
      diagnostics: ["answer_cut_off"],
    });
  });
});

describe("a rejected ask", () => {
  test("that ended the turn is a person's decision", () => {
    expect(look(turn(toolRow("prompt-1", [aTool("read", { status: "error" }), rejected("bash")])))).toMatchObject({
      state: "tool_error",
      reason: "ask_rejected",
      askRejected: true,
    });
  });

  test.each([
    ["text", turn(toolRow("prompt-1", [rejected("bash")]), answerRow("prompt-1", { text: "Then I stop here." }))],
    ["another tool", turn(toolRow("prompt-1", [rejected("bash"), aTool("edit")]))],
    [
      "another row with tools",
      turn(toolRow("prompt-1", [rejected("bash")]), toolRow("prompt-1", [aTool("edit")], { id: "b" })),
    ],
  ])("after which the agent continued with %s is not the end", (_, slice) => {
    expect(look(slice).askRejected).toBe(false);
  });
});

describe("notify: the basis of its proof", () => {
  test("a turn that ended without an error and without text has ended well", () => {
    expect(look(turn(answerRow("prompt-1")))).toMatchObject({ state: "empty_assistant_turn", turnEndedWell: true });
  });

  test.each([
    ["no assistant row", turn()],
    ["an open row", turn(answerRow("prompt-1", { completedAt: null }))],
  ])("a prompt with %s has not", (_, slice) => {
    expect(look(slice).turnEndedWell).toBe(false);
  });
});

describe("several attempts are one delivery", () => {
  const two = [anAttempt(), anAttempt({ number: 2 })];

  test("an answer to the first counts even if the second got none", () => {
    const seen = look(
      aSlice([
        userRow("prompt-1"),
        answerRow("prompt-1", { text: "It is blue." }),
        userRow("prompt-2"),
        answerRow("prompt-2"),
      ]),
      { attempts: two },
    );
    expect(seen).toMatchObject({
      state: "responded_plain_text",
      deliveredUserMessageId: "prompt-2",
      evidence: { finalText: "It is blue." },
    });
  });

  test("the newest answer is shown", () => {
    const seen = look(
      aSlice([
        userRow("prompt-1"),
        answerRow("prompt-1", { text: "It is red." }),
        userRow("prompt-2"),
        answerRow("prompt-2", { text: "No, it is blue." }),
      ]),
      { attempts: two },
    );
    expect(seen.evidence.finalText).toBe("No, it is blue.");
  });

  test("without proof, the newest attempt determines the state", () => {
    const rows = [userRow("prompt-1"), answerRow("prompt-1"), userRow("prompt-2")];
    expect(look(aSlice(rows), { attempts: two })).toMatchObject({
      state: "prompt_delivered_no_assistant_message",
      reason: "never_run",
      found: true,
      laterPrompt: false,
    });
    expect(look(aSlice(rows.slice(0, 2)), { attempts: two })).toMatchObject({
      state: "not_observed",
      found: false,
      deliveredUserMessageId: "prompt-1",
      assistantMessageId: "prompt-1-answer",
    });
  });

  test("attempts in several sessions are each found in their own", () => {
    const attempts = [anAttempt({ sessionId: "old" }), anAttempt({ number: 2, generation: 2 })];
    const old = aSlice([userRow("prompt-1"), toolRow("prompt-1", [aTool("edit")])], {
      sessionId: "old",
      status: "stale",
    });
    const seen = look([old, aSlice([userRow("prompt-2"), answerRow("prompt-2", { text: "It is blue." })])], {
      attempts,
    });
    expect(seen.evidence).toMatchObject({ executions: ["edit"], finalText: "It is blue." });
  });

  test("the id of one session proves nothing in another", () => {
    const attempts = [anAttempt({ sessionId: "old" }), anAttempt({ number: 2 })];
    const foreign = aSlice([userRow("prompt-1"), answerRow("prompt-1", { text: "It is blue." }), userRow("prompt-2")]);
    const seen = look([aSlice([], { sessionId: "old" }), foreign], { attempts });
    expect(seen.evidence).toEqual(noEvidence);
  });

  test("proof priority 1: a replaced session does not make it stale", () => {
    const attempts = [anAttempt({ sessionId: "old" }), anAttempt({ number: 2 })];
    const old = aSlice([userRow("prompt-1")], { sessionId: "old", status: "stale", asks: [anAsk("permission")] });
    const seen = look([old, aSlice([userRow("prompt-2"), answerRow("prompt-2")])], { attempts });
    expect(seen).toMatchObject({ state: "empty_assistant_turn", settled: true });
  });

  test("an error or a stop of an older attempt does not apply to the newest", () => {
    const stopped = answerRow("prompt-1", { error: { kind: "aborted", message: "" } });
    const seen = look(aSlice([userRow("prompt-1"), stopped, userRow("prompt-2"), answerRow("prompt-2")]), {
      attempts: two,
    });
    expect(seen).toMatchObject({ state: "empty_assistant_turn", aborted: false, turnEndedWell: true });
  });
});
