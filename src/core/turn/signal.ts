/**
 * What a runtime reports about a session, in terms shared by all runtimes. A signal may be repeated, and a signal
 * about a message or a tool is its current state, not a change: the turn tracker finds out what is new. So a runtime
 * that has lost track reads the transcript and signals all of it again.
 */
import type { FilePart } from "./item.ts";
import type { Question, Tokens, TurnEndReason } from "./universal-event.ts";

export type Signal = {
  at: number;
  /** The lane's session, even for events in a child session. */
  session: string;
  /** The child session in which this happened. */
  nativeSession?: string;
  /** Inferred by the runtime, as after a crash. */
  synthetic?: boolean;
} & SignalBody;

export type SignalBody =
  | { type: "session_started"; resumed: boolean }
  | { type: "session_ended"; reason: string }
  /**
   * The session contains a prompt. One that arrives while a turn runs does not start its own turn. `parent` is the
   * call that gave it to a subagent.
   */
  | { type: "prompt"; message: string; parts: readonly PromptPart[]; parent?: string }
  /** The program is working. Only a `rest` after this, or after any other sign of work, ends a turn. */
  | { type: "busy" }
  /** An assistant message has begun. `parent` is the call that a subagent works for. */
  | { type: "message"; message: string; prompt: string | null; parent?: string }
  /** The part's full text so far; empty when it has just begun. */
  | { type: "part"; message: string; part: string; kind: "text" | "reasoning"; text: string }
  /** New text to append to the known text. */
  | { type: "delta"; message: string; part: string; kind: "text" | "reasoning"; text: string }
  | { type: "tool"; message: string; call: string; name: string; state: ToolState }
  | { type: "tool_input_delta"; call: string; text: string }
  /** A file change by a message's tools; reported as an item before the message ends. */
  | { type: "file"; message: string; file: FilePart }
  | { type: "plan"; id: string; value: unknown }
  /** Anything else the program does and reports: a compaction, a retry, a hook. */
  | { type: "status"; id: string; name: string; value: unknown; failed?: boolean }
  | {
      type: "message_done";
      message: string;
      /** `aborted`: somebody stopped it. */
      error: MessageError | null;
      usage: { tokens: Tokens; cost: number | null; model: string | null } | null;
    }
  | { type: "permission"; ask: string; title: string; call: string | null; detail: unknown }
  | { type: "permission_over"; ask: string; outcome: "once" | "always" | "reject" | "expired" }
  | { type: "question"; ask: string; call: string | null; questions: readonly Question[] }
  | {
      type: "question_over";
      ask: string;
      outcome: "answered" | "reject" | "expired";
      answers: readonly (readonly string[])[] | null;
    }
  | { type: "turn_usage"; tokens: Tokens; cost: number | null; model: string | null }
  | { type: "error"; id: string; message: string; item: string | null; status?: number | undefined }
  /** Somebody asked the program to stop. */
  | { type: "stopped" }
  /** The program is idle. `queued` prompts follow immediately; the reason is set if the program reports it. */
  | { type: "rest"; reason?: TurnEndReason; queued?: number }
  /** A person stopped these prompts, and the transcript shows that the program never began to work on them. */
  | { type: "never_begun"; prompts: readonly string[] }
  /** The program has died, and its turn with it. */
  | { type: "died" }
  | { type: "unparsed"; reason: string; raw: string };

/** `status`: of the provider's response, if the program reports it. */
export type MessageError = { kind: "aborted" | "failed"; message: string; status?: number | undefined };

export type PromptPart =
  | { type: "text"; id: string; text: string }
  | { type: "image"; id: string; mime: string; name: string | null }
  /** An attachment that is neither text nor an image. */
  | { type: "json"; id: string; value: unknown };

export type ToolState =
  | { status: "pending" }
  /** `output` is its output so far. */
  | { status: "running"; input: unknown; output?: string }
  | { status: "completed"; input: unknown; output: string }
  | { status: "error"; input: unknown; output: string; rejected: boolean };

/**
 * Reads the detail of a permission. Some programs report the tool with its input, others a description, with a diff
 * if a file will change. Pure.
 */
type DetailFields = Readonly<Record<string, unknown>>;

type PermissionDetail = {
  tool: string | null;
  /** The tool's input; null if the program does not report it. */
  input: DetailFields | null;
  /** As the program reports it. */
  diff: string | null;
  /** The input, or else the whole detail. */
  fields: DetailFields;
};

export function readDetail(detail: unknown): PermissionDetail {
  const outer = objectOf(detail);
  const input = "input" in outer ? objectOf(outer.input) : null;
  const fields = input ?? outer;
  return { tool: textOf(outer.tool), input, diff: textOf(fields.diff), fields };
}

function objectOf(value: unknown): DetailFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
