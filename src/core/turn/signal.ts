/**
 * What a runtime says that happened in a session, in words that all runtimes share. It may be said twice, and what is
 * said of a message or a tool is its state by now, not what changed: the turn tracker finds out what is new. So a
 * runtime that has lost the thread reads the transcript and says all of it again.
 */
import type { FilePart } from "./item.ts";
import type { Question, Tokens, TurnEndReason } from "./universal-event.ts";

export type Signal = {
  at: number;
  /** The lane's session, also for what happens in one below it. */
  session: string;
  /** The session below it in which this happened. */
  nativeSession?: string;
  /** Concluded by the runtime, as after a crash. */
  synthetic?: boolean;
} & SignalBody;

export type SignalBody =
  | { type: "session_started"; resumed: boolean }
  | { type: "session_ended"; reason: string }
  /**
   * A prompt stands in the session. One that comes while a turn runs starts none of its own. `parent` is the call that
   * gave it to a subagent.
   */
  | { type: "prompt"; message: string; parts: readonly PromptPart[]; parent?: string }
  /** The program works. Only a `rest` after this, or after any sign of work, ends a turn. */
  | { type: "busy" }
  /** An assistant's message has begun. `parent` is the call that a subagent works for. */
  | { type: "message"; message: string; prompt: string | null; parent?: string }
  /** The part's whole text by now. */
  | { type: "part"; message: string; part: string; kind: "text" | "reasoning"; text: string }
  /** What comes after the text that is known. */
  | { type: "delta"; message: string; part: string; kind: "text" | "reasoning"; text: string }
  | { type: "tool"; message: string; call: string; name: string; state: ToolState }
  | { type: "tool_input_delta"; call: string; text: string }
  /** A change that a message's tools made; told as an item before the message ends. */
  | { type: "file"; message: string; file: FilePart }
  | { type: "plan"; id: string; value: unknown }
  /** Anything else that the program does and says: a compaction, a retry, a hook. */
  | { type: "status"; id: string; name: string; value: unknown; failed?: boolean }
  | {
      type: "message_done";
      message: string;
      /** `aborted` is somebody's stop. */
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
  /** The program rests. `queued` prompts follow at once; the reason is given where the program says it. */
  | { type: "rest"; reason?: TurnEndReason; queued?: number }
  /** A person stopped these prompts, and the transcript shows that the program has never begun to work on them. */
  | { type: "never_begun"; prompts: readonly string[] }
  /** The program is gone, and its turn with it. */
  | { type: "died" }
  | { type: "unparsed"; reason: string; raw: string };

/** `status`: of the provider's response, where the program says it. */
export type MessageError = { kind: "aborted" | "failed"; message: string; status?: number | undefined };

export type PromptPart =
  | { type: "text"; id: string; text: string }
  | { type: "image"; id: string; mime: string; name: string | null }
  /** What came with the prompt and is neither words nor a picture. */
  | { type: "json"; id: string; value: unknown };

export type ToolState =
  | { status: "pending" }
  /** `output` is what it has put out so far. */
  | { status: "running"; input: unknown; output?: string }
  | { status: "completed"; input: unknown; output: string }
  | { status: "error"; input: unknown; output: string; rejected: boolean };
