/**
 * Tool calls: their names, whatever prefix a runtime or an MCP client added; what their use shows; and whether they
 * succeeded. Structure comes first: the program's status, an exit code, a timeout. Without these, the very start of the
 * output or a JSON envelope decides: output that merely mentions an error is normal.
 */
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

export function succeeded(tool: ToolCall): boolean {
  if (tool.status !== "completed" || tool.rejected || tool.timedOut === true) return false;
  return tool.exitCode === undefined ? !reportsFailure(tool.output) : tool.exitCode === 0;
}

/** For a send that only its tool knows of. An undelivered message deserves more suspicion than other work. */
export function reportsFailedSend(output: string): boolean {
  return reportsFailure(output) || opensWithRefusal.test(head(output)) || envelope(output, isFailedSend);
}

// How tools and MCP servers begin their output when they did nothing. "Error-handling is done" is not among these.
const opensWithFailure =
  /^[\p{Extended_Pictographic}\p{M}✗✘\s]*(?:<tool_use_error>|(?:error|failed|failure|fatal|exception)(?:\s*[:!]|\s+[-–—]\s)|(?:mcp )?error -?\d|error (?:executing|calling|running|while) |failed to |(?:could not|couldn't|cannot|unable to) (?:send|deliver|find|create|update|write|apply|open|complete)|permission denied)/iu;
const opensWithRefusal =
  /^[\p{Extended_Pictographic}\p{M}✗✘\s"'[(]*(?:[a-z]*(?:error|exception)\b|fail(?:ed|ure|s)?\b|(?:message |delivery |the message |your message |send |it )?(?:was |has been |could |is )?(?:not|never|n't) (?:be )?(?:sent|delivered|accepted|posted|queued)|undeliver|delivery (?:failed|error|refused|rejected|status: ?(?:failed|bounced))|bounced|(?:no such|unknown|invalid|unrecognised|unrecognized|missing) (?:recipient|member|user|mailbox|address|agent|teammate|person|inbox|channel|tool)|(?:recipient|member|user|mailbox|address|agent|teammate|inbox|channel)\b[^.\n]{0,60}\b(?:not found|does not exist|doesn't exist|unknown|unavailable|is full|is closed|offline|rejected|refused)|rejected|refused|denied|forbidden|unauthori[sz]ed|access denied|not (?:allowed|permitted|authorized|connected|found|available|sent|delivered)|timed? ?out|time-?out|connection (?:refused|reset|closed|lost|error)|rate limit|too many requests|quota|(?:http )?[45]\d\d\b|econn|enotfound|etimedout|cannot |can't |could not |couldn't |unable |the (?:mailbox|queue|inbox|server|recipient|member) (?:is|was|has) (?:full|not|unavailable|down|closed|offline|been))/iu;

const longestHead = 400;
const longestEnvelope = 200_000;

export function reportsFailure(output: string): boolean {
  return opensWithFailure.test(head(output)) || envelope(output, isFailure);
}

function head(output: string): string {
  return output
    .slice(0, 4 * longestHead)
    .trimStart()
    .slice(0, longestHead);
}

/** The output's JSON object, and the objects inside it that tools wrap their results in. */
function envelope(output: string, test: (fields: Record<string, unknown>) => boolean): boolean {
  if (output.length > longestEnvelope || !/^\s*\{/.test(output)) return false;
  try {
    const fields = JSON.parse(output) as Record<string, unknown>;
    const inner = [fields.result, fields.data, fields.response].filter(
      (one) => typeof one === "object" && one !== null,
    );
    return [fields, ...(inner as Record<string, unknown>[])].some(test);
  } catch {
    return false;
  }
}

function isFailure({ success, ok, isError, is_error, status, error }: Record<string, unknown>): boolean {
  const flagged = success === false || ok === false || isError === true || is_error === true || status === "error";
  return flagged || namesError(error);
}

const failedStatus =
  /^(?:error|failed|failure|rejected|refused|undelivered|undeliverable|bounced|not[_ -]?(?:sent|delivered|found)|unknown_recipient|denied|timeout|timed_out|dropped|discarded)$/i;

function isFailedSend(fields: Record<string, unknown>): boolean {
  const flags = ["delivered", "sent", "accepted", "queued", "posted", "success", "ok", "found", "delivery"];
  const { status, state, result, errors, code } = fields;
  const isDenied = flags.some((flag) => fields[flag] === false);
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  const isStatus = [status, state, result].some((one) => typeof one === "string" && failedStatus.test(one));
  return isDenied || hasErrors || isStatus || (typeof code === "number" && code >= 400 && code < 600);
}

function namesError(error: unknown): boolean {
  if (typeof error === "object" && error !== null) return Object.keys(error).length > 0;
  return error === true || (typeof error === "string" && error !== "");
}
