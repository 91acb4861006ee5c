/**
 * The transcript model that every runtime translates into. A transcript is the truth: an agent's actions are judged
 * by it and by nothing else.
 */
import type { Usage } from "../lane/lane.ts";
import type { AcceptedFiles } from "../message/file-type.ts";

/** `diff` is a unified diff, if the program reports one. */
export type ChangedFile = { path: string; change: "added" | "modified" | "deleted" | "unknown"; diff: string | null };

export type ToolCall = {
  id: string;
  name: string;
  status: "pending" | "running" | "completed" | "error";
  input: Readonly<Record<string, unknown>>;
  output: string;
  /** A person refused the permission or the question behind this call. */
  rejected: boolean;
  /** What it changed on disk, if the program reports it. */
  files?: readonly ChangedFile[];
  /** For a shell command, if the program reports it. */
  exitCode?: number;
  /** The program ended it because it took too long. */
  timedOut?: boolean;
  /** Whether it changes something or only reads, if the program or the tool's own schema says so. */
  effect?: "changes" | "reads";
};

/** `aborted`: somebody stopped it. `failed`: anything else ended the row early. */
export type RowError = {
  kind: "aborted" | "failed";
  message: string;
  /** The program's or the provider's error name, and the HTTP status, if the program reports them. */
  name?: string | undefined;
  status?: number | undefined;
  /** How long the provider asks to wait before a retry. */
  retryAfterMs?: number | undefined;
};

/** Usage by a child session of the lane's own, whose rows are not shown. */
export type UsedBelow = Usage & { messageId: string; createdAt: number };

export type TranscriptRow = {
  id: string;
  role: "user" | "assistant" | "system" | "unknown";
  /** For an assistant row: the user row whose turn it belongs to. */
  parentId: string | null;
  /** For a user row that a compaction put in place of another: that other row. */
  continuesId: string | null;
  text: string;
  reasoning: string;
  tools: readonly ToolCall[];
  /** `tool-calls` if the turn should continue after this row, `length` if it was cut off; anything else ends it. */
  finish: string | null;
  error: RowError | null;
  createdAt: number;
  /** When its first text, thought or tool call began; null if there is none yet. */
  firstActivityAt: number | null;
  completedAt: number | null;
  /** What the model has used for this row so far, if the program reports it. */
  usage?: Usage;
};

export type Ask = {
  id: string;
  kind: "permission" | "question";
  sessionId: string;
  title: string;
  /** Null if the program does not report it. */
  askedAt: number | null;
};

export type TranscriptSlice = {
  sessionId: string;
  /** `retry`: the agent program itself retries its model. `stale`: the session is no longer usable. */
  status: "idle" | "busy" | "retry" | "stale";
  /** The session works in a different directory from its lane: the next prompt does not go to it. */
  elsewhere?: boolean;
  /** Asks of this session and its child sessions that wait for a person. */
  asks: readonly Ask[];
  rows: readonly TranscriptRow[];
  /** Whether the rows reach back to the start of the session. */
  complete: boolean;
  lastActivityAt: number | null;
  usedBelow?: readonly UsedBelow[];
};

export type RuntimeIds = { messageId: string; partId: string };

export type RuntimeTraits = {
  /** Whether prompts carry Waybill's own ids. Only if not, prompts are matched by text. */
  takesIds: boolean;
  /** What happens if the same ids are sent again after their turn did not finish. */
  sendingAgain: "reruns" | "swallowed";
  /** The attachments a prompt may include; an empty list means none. */
  attachments: readonly AcceptedFiles[];
  /** Whether a prompt may include text for the agent's instructions. */
  takesSystem: boolean;
};

const maxMessages = 50;
const maxCharacters = 8000;
const maxPerMessage = 600;

/** A short summary of a lane's conversation, for the first prompt of a session that replaces another. */
export function digestOf(rows: readonly TranscriptRow[]): string | null {
  const said = rows
    .filter((row) => (row.role === "user" || row.role === "assistant") && row.text.trim() !== "")
    .slice(-maxMessages)
    .map((row) => `${row.role}: ${shorten(row.text.trim())}`);
  const kept: string[] = [];
  let length = 0;
  for (const line of said.reverse()) {
    length += line.length + 1;
    if (length > maxCharacters) break;
    kept.unshift(line);
  }
  if (kept.length === 0) return null;
  return [
    "This conversation began in an earlier session. This is how that one ended, for context only; do not act on it again:",
    ...kept,
    "End of the earlier conversation.",
  ].join("\n");
}

function shorten(text: string): string {
  return text.length <= maxPerMessage ? text : `${text.slice(0, maxPerMessage)} […]`;
}
