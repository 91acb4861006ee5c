/** One name for each tool, whatever prefix a runtime or an MCP client gave it, and what its use shows. */

/**
 * - `visible`: a message to somebody
 * - `task_change`, `execution`: work
 * - `lookup`: reading only; it shows that the agent noticed, never that it acted
 * - `bootstrap`: identity and liveness; says nothing about a message
 * - `other`: unknown to us
 */
export type ToolClass = "visible" | "task_change" | "execution" | "lookup" | "bootstrap" | "other";

const bootstrap = new Set([
  "runtime_bootstrap_checkin",
  "member_briefing",
  "runtime_heartbeat",
  "process_register",
  "process_list",
]);
const execution = new Set([
  "bash",
  "shell",
  "edit",
  "multiedit",
  "write",
  "patch",
  "apply_patch",
  "notebookedit",
  "task",
]);
const lookups = new Set(["read", "grep", "glob", "list", "ls", "webfetch", "websearch", "codesearch", "todoread"]);

// A lane's own MCP entry is called `waybill-LANE`, and a lane's name may hold underscores: cut before a tool we know.
const laneEntry = /^waybill-[a-z0-9_-]*?_((?:message|task|member|runtime|process)_[a-z0-9_]+)$/;

export function normalizeToolName(name: string): string {
  const lower = name.toLowerCase();
  const bare = lower.replace(/^mcp__(?:agent-teams|waybill[a-z0-9_-]*?)__/, "").replace(/^agent-teams_/, "");
  return bare.replace(laneEntry, "$1").replace(/^waybill_/, "");
}

/** Takes a normalised name. */
export function classifyTool(name: string): ToolClass {
  if (name === "message_send") return "visible";
  if (bootstrap.has(name)) return "bootstrap";
  if (lookups.has(name) || /^task_(?:get|list)(?:_|$)/.test(name)) return "lookup";
  if (name.startsWith("task_")) return "task_change";
  return execution.has(name) ? "execution" : "other";
}

/**
 * A result may carry no error flag and still say that nothing was done. Only what a tool itself says at the very
 * start, or in a JSON envelope, counts: output that merely mentions an error is normal.
 */
export function reportsFailure(output: string): boolean {
  const text = output.trim();
  if (/^(?:<tool_use_error>|(?:error|failed|failure|fatal|exception)\s*[:!-])/i.test(text)) return true;
  if (!text.startsWith("{")) return false;
  try {
    const envelope = JSON.parse(text) as Record<string, unknown>;
    const { success, ok, isError, error } = envelope;
    return success === false || ok === false || isError === true || (typeof error === "string" && error !== "");
  } catch {
    return false;
  }
}
