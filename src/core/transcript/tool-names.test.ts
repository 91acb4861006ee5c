import { describe, expect, test } from "vitest";
import { classifyTool, normalizeToolName, reportsFailure } from "./tool-names.ts";

describe("one name for each tool", () => {
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

  test("a lane whose name holds the name of a tool does not change what was called", () => {
    expect(normalizeToolName("waybill-my_task_force_message_send")).toBe("message_send");
    expect(normalizeToolName("waybill-task_list_runtime_heartbeat")).toBe("runtime_heartbeat");
  });

  test.each(["mcp__github__message_send", "slack_message_send", "my_agent-teams_message_send"])(
    "a tool of somebody else keeps its name: %s",
    (name) => {
      expect(normalizeToolName(name)).toBe(name);
      expect(classifyTool(normalizeToolName(name))).toBe("other");
    },
  );
});

describe("what the use of a tool shows", () => {
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

describe("a result that says in its text that nothing was done", () => {
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
  ])("reports failure: %s", (output) => {
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
