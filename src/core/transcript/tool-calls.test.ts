import { describe, expect, test } from "vitest";
import {
  classifyTool,
  classOf,
  isOwnTool,
  normalizeToolName,
  reportsFailedSend,
  reportsFailure,
  succeeded,
} from "./tool-calls.ts";

describe("tool names are normalised", () => {
  test.each([
    ["message_send", "message_send"],
    ["agent-teams_message_send", "message_send"],
    ["mcp__agent-teams__message_send", "message_send"],
    ["mcp__agent-teams__task_add_comment", "task_add_comment"],
    ["waybill_message_send", "message_send"],
    ["waybill-alice_message_send", "message_send"],
    ["waybill-front_end_task_get", "task_get"],
    ["waybill-front-end_member_briefing", "member_briefing"],
    ["mcp__waybill__task_start", "task_start"],
    ["mcp__waybill-alice__message_send", "message_send"],
    ["mcp__waybill-front__end__message_send", "message_send"],
    ["Bash", "bash"],
    ["MultiEdit", "multiedit"],
    ["MCP__Agent-Teams__Message_Send", "message_send"],
  ])("%s is %s", (name, normal) => {
    expect(normalizeToolName(name)).toBe(normal);
  });

  test("a lane name that contains a tool name does not change the tool", () => {
    expect(normalizeToolName("waybill-my_task_force_message_send")).toBe("message_send");
    expect(normalizeToolName("waybill-task_list_runtime_heartbeat")).toBe("runtime_heartbeat");
  });

  test.each(["mcp__github__message_send", "slack_message_send", "my_agent-teams_message_send"])(
    "a third-party tool keeps its name: %s",
    (name) => {
      expect(normalizeToolName(name)).toBe(name);
      expect(classifyTool(normalizeToolName(name))).toBe("other");
    },
  );
});

describe("the class of a tool", () => {
  test.each([
    ["visible", ["agent-teams_message_send", "mcp__waybill-a__message_send"]],
    [
      "bootstrap",
      [
        "agent-teams_runtime_bootstrap_checkin",
        "mcp__agent-teams__runtime_bootstrap_checkin",
        "agent-teams_member_briefing",
        "member_briefing",
        "runtime_heartbeat",
        "process_register",
        "process_list",
      ],
    ],
    ["task_change", ["agent-teams_task_start", "agent-teams_task_add_comment", "task_complete", "task_create"]],
    [
      "lookup",
      ["agent-teams_task_get", "task_list", "task_get_comment", "task_briefing", "read", "grep", "glob", "Read"],
    ],
    ["execution", ["bash", "Bash", "edit", "write", "apply_patch", "task"]],
    ["other", ["todowrite", "question", "taskmaster", "message_list", ""]],
  ] as const)("%s", (expected, names) => {
    expect(names.map((name) => classifyTool(normalizeToolName(name)))).toEqual(names.map(() => expected));
  });
});

describe("tools of boards, trackers and reviews", () => {
  test.each([
    ["task_change", ["review_approve", "review_request_changes", "kanban_move_card", "board_add_column"]],
    ["task_change", ["mcp__github__create_pull_request", "mcp__linear__update_issue", "mcp__jira__transition-issue"]],
    ["lookup", ["review_get", "board_list", "mcp__github__get_issue", "mcp__github__list_pull_requests"]],
    ["other", ["preview_open", "mcp__github__message_send", "keyboard_press", "cardinality_create"]],
  ] as const)("%s: %j", (expected, names) => {
    expect(names.map((name) => classifyTool(normalizeToolName(name)))).toEqual(names.map(() => expected));
  });

  test("the program's own statement about a tool outweighs the tool's name", () => {
    expect(classOf({ name: "unheard_of", effect: "changes" })).toBe("execution");
    expect(classOf({ name: "bash", effect: "reads" })).toBe("lookup");
    expect(classOf({ name: "waybill_message_send", effect: "changes" })).toBe("visible");
  });

  test.each([
    ["waybill_message_send", true],
    ["waybill-lane_message_send", true],
    ["mcp__waybill-lane__message_send", true],
    ["agent-teams_message_send", false],
    ["message_send", false],
  ])("whether %s is one of Waybill's own tools: %s", (name, own) => {
    expect(isOwnTool(name)).toBe(own);
  });
});

describe("whether a tool call succeeded", () => {
  const call = { id: "c", name: "bash", status: "completed", input: {}, output: "ok", rejected: false } as const;

  test.each([
    ["a completed call", {}, true],
    ["an error status", { status: "error" }, false],
    ["a refusal", { rejected: true }, false],
    ["a non-zero exit code", { exitCode: 2 }, false],
    ["a timeout", { timedOut: true }, false],
    ["an exit code of 0, whatever was printed", { exitCode: 0, output: "Error: none found" }, true],
    ["an error in the output, without an exit code", { output: "Error: no such file" }, false],
  ] as const)("%s", (_, given, done) => {
    expect(succeeded({ ...call, ...given })).toBe(done);
  });

  test("only the head of a very long output is read", () => {
    const output = `${"x".repeat(8_000_000)}{"ok":false}`;
    const started = performance.now();
    expect(succeeded({ ...call, output: `{${output}` })).toBe(true);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("a send that its tool reports as failed", () => {
  test.each([
    "The mailbox is full.",
    "Recipient bob not found",
    "Message was not delivered",
    "Unknown recipient: bob",
    "HTTP 503 Service Unavailable",
    "Timed out after 30 s",
    '{"delivered":false}',
    '{"status":"failed"}',
    '{"result":{"ok":false}}',
    '{"errors":[{"message":"no such channel"}]}',
  ])("%s", (output) => {
    expect(reportsFailedSend(output)).toBe(true);
  });

  test.each([
    "sent",
    "message_send done",
    '{"ok":true,"id":"m-9"}',
    '{"status":"queued"}',
    "Delivered to user (200 OK)",
    "",
  ])("not: %j", (output) => {
    expect(reportsFailedSend(output)).toBe(false);
  });
});

describe("a result whose text", () => {
  test.each([
    "Error: no member called bob",
    "ERROR: disk full",
    "error!",
    "failed: timeout",
    "Failed to send the message",
    "Failure - nothing was written",
    "fatal: not a git repository",
    "Unable to deliver: unknown recipient",
    "Permission denied",
    "MCP error -32602: invalid arguments",
    "Error executing tool message_send",
    "<tool_use_error>File has not been read yet</tool_use_error>",
    "❌ Error: no such task",
    "\n  Error: indented",
    '{"success":false}',
    '{"ok": false, "reason": "unknown task"}',
    '{"isError":true,"content":[]}',
    '{"error":"unknown recipient"}',
    '{"error":{"code":404,"message":"unknown recipient"}}',
    '{"status":"error"}',
  ])("reports a failure: %s", (output) => {
    expect(reportsFailure(output)).toBe(true);
  });

  test.each([
    "",
    "sent",
    "12 passed, 0 failed",
    "The log says Error: timeout, which is expected",
    "Error-handling was added to 3 files",
    "Errors were found and fixed",
    "Failed logins: 0",
    '{"success":true}',
    '{"error":null,"id":"m-1"}',
    '{"error":"","id":"m-1"}',
    '{"error":{},"id":"m-1"}',
    '{"status":"failed","task":"17"}',
    '{"error": not json',
    '[{"error":"in a list"}]',
  ])("is normal output: %j", (output) => {
    expect(reportsFailure(output)).toBe(false);
  });
});
