/** Normalises tool names, whatever prefix a runtime or an MCP client added, and classifies what their use shows. */
import type { ToolCall } from "./transcript.ts";

/**
 * - `visible`: a message to somebody
 * - `task_change`, `execution`: work
 * - `lookup`: only reads; it shows that the agent noticed, never that it acted
 * - `bootstrap`: identity and liveness; says nothing about a message
 * - `other`: unknown to Waybill
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

// A lane's own MCP entry is called `waybill-LANE`. A lane's name may contain underscores, and even the name of a tool
// ("my_task_force"), so the prefix is cut as late as a known tool name allows.
const laneEntry = /^waybill-[a-z0-9_-]*_((?:message|task|member|team|notify|runtime|process)_[a-z0-9_]+)$/;

export function normalizeToolName(name: string): string {
  const lower = name.toLowerCase();
  const bare = lower.replace(/^mcp__(?:agent-teams|waybill[a-z0-9_-]*)__/, "").replace(/^agent-teams_/, "");
  return bare.replace(laneEntry, "$1").replace(/^waybill_/, "");
}

/** A send through one of Waybill's own tools: its destination shows whether it counts. Takes the name as called. */
export function isOwnTool(name: string): boolean {
  return /^(?:mcp__)?waybill/i.test(name);
}

/** Takes a normalised name. */
export function classifyTool(name: string): ToolClass {
  if (name === "message_send") return "visible";
  if (bootstrap.has(name)) return "bootstrap";
  if (lookups.has(name) || taskLookup.test(name)) return "lookup";
  if (name.startsWith("task_")) return "task_change";
  return execution.has(name) ? "execution" : boardTool(name);
}

// The objects of boards, trackers and reviews, and the actions on them. Servers combine both in their tool names.
const boardThing =
  /(?:^|_)(?:task|board|kanban|card|column|review|issue|ticket|story|epic|sprint|milestone|pull_?request|pr|merge_?request|mr|todo_?item|work_?item)s?(?:_|$)/;
const boardChange =
  /(?:^|_)(?:create|add|update|edit|set|move|assign|unassign|reassign|close|reopen|open|complete|start|finish|submit|approve|reject|dismiss|request|resolve|unresolve|merge|comment|reply|post|delete|remove|archive|link|unlink|label|transition|claim|release|write|save|change|mark|vote|changes)(?:_|$)/;
const boardRead = /(?:^|_)(?:get|list|show|search|find|view|read|fetch|status|count|history|describe|query)(?:_|$)/;

/** By its own words, after the server's name. */
function boardTool(name: string): ToolClass {
  const own = name.replace(/^mcp__.+?__/, "").replaceAll("-", "_");
  if (!boardThing.test(own) || own === "message_send") return "other";
  if (boardRead.test(own)) return "lookup";
  return boardChange.test(own) ? "task_change" : "other";
}

/** What the use of a tool shows: by its name, and by what its program reports about it. */
export function classOf(tool: Pick<ToolCall, "name" | "effect" | "files">): ToolClass {
  const byName = classifyTool(normalizeToolName(tool.name));
  if (byName === "visible" || byName === "bootstrap" || byName === "task_change") return byName;
  if (tool.effect === "changes" || (tool.files?.length ?? 0) > 0) return "execution";
  return tool.effect === "reads" ? "lookup" : byName;
}

/** Takes a normalised name. */
export function changesFiles(name: string): boolean {
  return fileChanges.has(name);
}
