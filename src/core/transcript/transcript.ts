/**
 * The transcript model that every runtime translates into. A transcript is the truth: what an agent did is judged by it
 * and by nothing else.
 */
import type { Usage } from "../lane/daily-limit.ts";
import type { AcceptedFiles } from "../message/accepted-files.ts";

/** `diff` is a unified one, where the program shows one. */
export type ChangedFile = { path: string; change: "added" | "modified" | "deleted" | "unknown"; diff: string | null };

export type ToolCall = {
  id: string;
  name: string;
  status: "pending" | "running" | "completed" | "error";
  input: Readonly<Record<string, unknown>>;
  output: string;
  /** A person refused the permission or the question behind this call. */
  rejected: boolean;
  /** What it changed on the disk, where the program says so. */
  files?: readonly ChangedFile[];
  /** Of a shell command, where the program says so. */
  exitCode?: number;
  /** The program ended it because it took too long. */
  timedOut?: boolean;
  /** Whether it changes something or only reads, where the program or the tool's own schema says so. */
  effect?: "changes" | "reads";
};

/** `aborted` is somebody's stop; `failed` is anything else that ended the row early. */
export type RowError = {
  kind: "aborted" | "failed";
  message: string;
  /** The program's or the provider's name for it, and the HTTP status, where the program says so. */
  name?: string | undefined;
  status?: number | undefined;
  /** How long the provider wants to be left alone. */
  retryAfterMs?: number | undefined;
};

/** By a session below the lane's own, whose rows are not shown. */
export type UsedBelow = Usage & { messageId: string; createdAt: number };

export type TranscriptRow = {
  id: string;
  role: "user" | "assistant" | "system" | "unknown";
  /** For an assistant row: the user row whose turn it belongs to. */
  parentId: string | null;
  /** For a user row that a compaction put in the place of another: that other row. */
  continuesId: string | null;
  text: string;
  reasoning: string;
  tools: readonly ToolCall[];
  /** `tool-calls` when the turn was to go on after this row, `length` when it was cut off; anything else ends it. */
  finish: string | null;
  error: RowError | null;
  createdAt: number;
  /** When its first word, thought or tool call began; null while there is none. */
  firstActivityAt: number | null;
  completedAt: number | null;
  /** What the model's part in this row has used so far, where the program says so. */
  usage?: Usage;
};

export type Ask = {
  id: string;
  kind: "permission" | "question";
  sessionId: string;
  title: string;
  /** Null where the program does not say. */
  askedAt: number | null;
};

export type TranscriptSlice = {
  sessionId: string;
  /** `retry`: the agent program itself retries its model. `stale`: the session cannot be used any more. */
  status: "idle" | "busy" | "retry" | "stale";
  /** The session works in another directory than its lane does now: the next prompt is not for it. */
  elsewhere?: boolean;
  /** Asks of this session and of the sessions below it that wait for a person. */
  asks: readonly Ask[];
  rows: readonly TranscriptRow[];
  /** Whether the rows reach back to the session's first one. */
  complete: boolean;
  lastActivityAt: number | null;
  usedBelow?: readonly UsedBelow[];
};

export type RuntimeIds = { messageId: string; partId: string };

export type RuntimeTraits = {
  /** Whether prompts carry our own ids. Where not, and only there, text is matched. */
  takesIds: boolean;
  /** What the same ids do a second time when their turn did not finish. */
  sendingAgain: "reruns" | "swallowed";
  /** The attachments that a prompt may bring; none where the list is empty. */
  attachments: readonly AcceptedFiles[];
  /** Whether a prompt may bring a text for the agent's instructions. */
  takesSystem: boolean;
};
