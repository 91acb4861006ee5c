/** The contract of a runtime. A runtime reports what happened; `core` decides whether a message was answered. */
import type { SubmitOutcome } from "../core/delivery/attempt.ts";
import type { Lane, Notice } from "../core/lane/lane.ts";
import type { Attachment } from "../core/message/message.ts";
import type { RuntimeIds, RuntimeTraits, TranscriptSlice } from "../core/transcript/transcript.ts";
import type { Signal } from "../core/turn/signal.ts";

/** A file that goes with a prompt. Its bytes are at `path`, which must not be written to. */
export type AttachedFile = Attachment & { path: string };

export type Prompt = RuntimeIds & {
  sessionId: string;
  text: string;
  /** Only types that the runtime's traits allow. */
  attachments: readonly AttachedFile[];
  /** Added to the configured text, for this prompt only. Only if the runtime's traits allow it. */
  system?: string;
};

export type { SubmitOutcome };

export type AskAnswer = {
  decision: "once" | "always" | "reject";
  answers?: readonly (readonly string[])[];
  /** Why a permission is rejected. The agent reads it and continues; without it, a rejection ends the turn. */
  message?: string;
};

export type Hint = { sessionId: string };

export type SignalListener = (laneId: string, signal: Signal) => void;

/**
 * Implements an agent's `message_send` tool. The sender is always the lane that made the call. After a crash the same
 * call may come twice, with the same id.
 */
export type PostMessage = (message: {
  id: string;
  lane: string;
  to: string;
  text: string;
  summary: string | null;
  relayOfMessageId: string | null;
  /** As the agent wrote it. */
  outcome?: string | null;
}) => Promise<void>;

/** `renamed` maps old row ids to new ones, for copied rows that changed their id. */
export type ForkedSession = { sessionId: string; renamed: ReadonlyMap<string, string> };

/** The agent and model that a lane wants, and where. */
export type AgentChoice = Pick<Lane, "agent" | "model" | "directory">;

/** A program that currently runs for lanes. */
export type RunningProgram = {
  /** Null for a program that Waybill did not start. */
  pid: number | null;
  /** The lane and the session that it works for; null for a server that is shared by all lanes. */
  laneId: string | null;
  sessionId: string | null;
  /** Its working directory; null for a server that is shared by all directories. */
  directory: string | null;
  version: string | null;
  startedAt: number | null;
  /** How often it failed and was restarted in this run. */
  restarts: number;
  /** Whether its events arrive live. `none` for a program of an earlier run, which ends with its turn. */
  events: "connected" | "reconnecting" | "none";
};

export type Runtime = {
  readonly kind: string;
  readonly traits: RuntimeTraits;
  /** The ids of an attempt in this runtime's format, from a digest that is unique to the attempt. */
  idsFrom(digest: string): RuntimeIds;
  /**
   * Adopts or ends programs that the last run left running; awaited before anything is observed. When `stopping` is
   * aborted, ends anything that is being started and settles soon.
   */
  recover(stopping?: AbortSignal): Promise<void>;
  /**
   * Null if prompts can be sent, otherwise the reason why they can be sent in none of these lanes. Problems of single
   * lanes are notices. Costs no tokens.
   */
  health(signal: AbortSignal, lanes: readonly Lane[]): Promise<string | null>;
  /** The problems of a lane. Absent if a runtime never reports any. */
  notices?(lane: Lane): readonly Notice[];
  /** The running programs. Starts nothing and sends no requests. Absent if a runtime has no program. */
  programs?(): readonly RunningProgram[];
  /** The models that the program lists for a directory, each as a lane names it. Absent if it cannot list models. */
  models?(directory: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Null if the program knows the lane's agent and model, otherwise a notice that names the unknown one and the known
   * ones. Throws if the program cannot be asked right now. Absent if a program lists neither.
   */
  checkChoice?(lane: AgentChoice, signal: AbortSignal): Promise<Notice | null>;
  openSession(lane: Lane, signal: AbortSignal): Promise<string>;
  /**
   * The program's sessions in the lane's directory, newest first, no matter who opened them. With `since`, leaves out
   * sessions that have not changed since then. Throws if they cannot be listed right now. Absent if a program cannot
   * list sessions.
   */
  sessionsIn?(lane: Lane, signal: AbortSignal, since?: number): Promise<readonly string[]>;
  /**
   * The lane was removed: the runtime forgets it and its sessions, which may include sessions of other runtimes.
   */
  laneRemoved?(laneId: string, sessionIds: readonly string[]): void;
  /**
   * Resolves if a lane can continue a session that was started outside Waybill; an `AppError` says why it cannot. The
   * session is not changed. Absent if a runtime only continues sessions that it opened.
   */
  checkAdoption?(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /**
   * Opens a session for `lane` as a copy of another session in the same directory: everything before the prompt
   * `before` (the id of its row), or all of it. The other session is idle and is not changed. Throws an `AppError` with
   * `message_unknown` if it has no such prompt. Absent if a program cannot fork.
   */
  fork?(lane: Lane, from: { sessionId: string; before: string | null }, signal: AbortSignal): Promise<ForkedSession>;
  /**
   * The newest `limit` rows, or all of them. A session that the program does not know, or no longer knows, is `stale`.
   * Throws if the state is currently unknown.
   */
  read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice>;
  /** `lane` holds the agent and model for this prompt; later prompts may have others. */
  submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome>;
  /** Ends the running turn of a session and of the sessions below it. Safe to repeat. */
  abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** Throws an `AppError` with `ask_unknown` if the ask is no longer open. */
  answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void>;
  onHint(listener: (hint: Hint) => void): () => void;
  /** Live signals from the sessions of lanes, for display. No decision depends on them. */
  onSignal(listener: SignalListener): () => void;
  /**
   * Publishes the current state of the session's newest turn as signals, and of earlier turns without a published end.
   * For listeners that may have missed something, for example after a restart.
   */
  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** With `keep`, agent programs continue, and the next run adopts them. */
  close(options?: { keep: boolean }): Promise<void>;
};
