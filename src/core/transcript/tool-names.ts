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
const fileChanges = new Set(["edit", "multiedit", "write", "patch", "apply_patch", "notebookedit"]);
const lookups = new Set([
  "read",
  "grep",
  "glob",
  "find",
  "list",
  "ls",
  "webfetch",
  "websearch",
  "codesearch",
  "todoread",
]);
const taskLookup = /^task_(?:get|list|show|search|find|briefing)(?:_|$)/;

// A lane's own MCP entry is called `waybill-LANE`. A lane's name may hold underscores, and even the name of a tool
// ("my_task_force"), so the cut is made as late as a tool that we know allows.
const laneEntry = /^waybill-[a-z0-9_-]*_((?:message|task|member|runtime|process)_[a-z0-9_]+)$/;

export function normalizeToolName(name: string): string {
  const lower = name.toLowerCase();
  const bare = lower.replace(/^mcp__(?:agent-teams|waybill[a-z0-9_-]*)__/, "").replace(/^agent-teams_/, "");
  return bare.replace(laneEntry, "$1").replace(/^waybill_/, "");
}

/** Takes a normalised name. */
export function classifyTool(name: string): ToolClass {
  if (name === "message_send") return "visible";
  if (bootstrap.has(name)) return "bootstrap";
  if (lookups.has(name) || taskLookup.test(name)) return "lookup";
  if (name.startsWith("task_")) return "task_change";
  return execution.has(name) ? "execution" : "other";
}

/** Takes a normalised name. */
export function changesFiles(name: string): boolean {
  return fileChanges.has(name);
}

// What tools and MCP servers open with when they did nothing. "Error-handling is done" is none of these.
const opensWithFailure =
  /^[\p{Extended_Pictographic}\p{M}✗✘\s]*(?:<tool_use_error>|(?:error|failed|failure|fatal|exception)(?:\s*[:!]|\s+[-–—]\s)|(?:mcp )?error -?\d|error (?:executing|calling|running|while) |failed to |(?:could not|couldn't|cannot|unable to) (?:send|deliver|find|create|update|write|apply|open|complete)|permission denied)/iu;

/**
 * A result may carry no error flag and still say that nothing was done. Only what a tool itself says at the very
 * start, or in a JSON envelope, counts: output that merely mentions an error is normal.
 */
export function reportsFailure(output: string): boolean {
  const text = output.trim();
  if (opensWithFailure.test(text)) return true;
  if (!text.startsWith("{")) return false;
  try {
    const { success, ok, isError, status, error } = JSON.parse(text) as Record<string, unknown>;
    return success === false || ok === false || isError === true || status === "error" || namesError(error);
  } catch {
    return false;
  }
}

function namesError(error: unknown): boolean {
  if (typeof error === "object" && error !== null) return Object.keys(error).length > 0;
  return error === true || (typeof error === "string" && error !== "");
}
