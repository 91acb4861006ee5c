/** The contract of a runtime. It never decides whether a message was answered: it reports what happened, and `core` decides. */
import type { SubmitOutcome } from "../core/delivery/attempt.ts";
import type { Lane, Notice } from "../core/lane/lane.ts";
import type { Attachment } from "../core/message/message.ts";
import type { RuntimeIds, RuntimeTraits, TranscriptSlice } from "../core/transcript/transcript.ts";
import type { Signal } from "../core/turn/signal.ts";

/** A file that goes with a prompt. Its bytes are at `path`, which is not to be written. */
export type AttachedFile = Attachment & { path: string };

export type Prompt = RuntimeIds & {
  sessionId: string;
  text: string;
  /** Only of types that the runtime's traits allow. */
  attachments: readonly AttachedFile[];
  /** Beside the configured text, for this prompt alone. Only where the runtime's traits allow it. */
  system?: string;
};

export type { SubmitOutcome };

export type AskAnswer = {
  decision: "once" | "always" | "reject";
  answers?: readonly (readonly string[])[];
  /** Why a permission is rejected. The agent reads it and goes on; without it, a rejection ends the turn. */
  message?: string;
};

export type Hint = { sessionId: string };

export type SignalListener = (laneId: string, signal: Signal) => void;

/**
 * What an agent's `message_send` tool does. The sender is always the lane that the call came from. After a crash the same
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

/** `renamed`: the new ids of copied rows whose ids changed, by their old ones. */
export type ForkedSession = { sessionId: string; renamed: ReadonlyMap<string, string> };

/** What a lane wants of the program that works in it. */
export type AgentChoice = Pick<Lane, "agent" | "model" | "directory">;

export type Runtime = {
  readonly kind: string;
  readonly traits: RuntimeTraits;
  /** The ids of an attempt in the form of this runtime, from a digest that is unique to the attempt. */
  idsFrom(digest: string): RuntimeIds;
  /**
   * Adopts or ends what the last run left running; awaited before anything is observed. When `stopping` is aborted, what
   * is being started is ended, and this settles soon.
   */
  recover(stopping?: AbortSignal): Promise<void>;
  /**
   * Null when prompts can be sent, else why they can be sent in none of these lanes. Problems of single lanes are
   * notices. Costs no tokens.
   */
  health(signal: AbortSignal, lanes: readonly Lane[]): Promise<string | null>;
  /** The problems of a lane. Absent where a runtime has none to report. */
  notices?(lane: Lane): readonly Notice[];
  /** The models that the program lists for a directory, each as a lane names it. Absent where it lists none. */
  models?(directory: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Null when the program knows the lane's agent and model, else which of them it does not know and what it knows
   * instead. Throwing means that it cannot be asked at present. Absent where a program lists neither.
   */
  checkChoice?(lane: AgentChoice, signal: AbortSignal): Promise<Notice | null>;
  openSession(lane: Lane, signal: AbortSignal): Promise<string>;
  /**
   * The sessions that the program has in the lane's directory, newest first, whoever opened them. With `since`, those
   * that have not changed from then on are left out. Throwing means that they cannot be listed at present. Absent where
   * a program cannot list them.
   */
  sessionsIn?(lane: Lane, signal: AbortSignal, since?: number): Promise<readonly string[]>;
  /**
   * The lane was removed: the runtime forgets it and its sessions, which may include sessions of other runtimes.
   */
  laneRemoved?(laneId: string, sessionIds: readonly string[]): void;
  /**
   * Resolves when a lane can continue a session that was started outside Waybill; an `AppError` says why it cannot. The
   * session is not changed. Absent where a runtime only continues sessions that it opened.
   */
  checkAdoption?(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /**
   * A new session for `lane` with what another session in the same directory has before the prompt `before` (the id of
   * its row), or with everything. The other session is idle, and is not changed. An `AppError` with `message_unknown`
   * says that it has no such prompt. Absent where a program cannot fork.
   */
  fork?(lane: Lane, from: { sessionId: string; before: string | null }, signal: AbortSignal): Promise<ForkedSession>;
  /**
   * The newest `limit` rows, or all of them. A session that the program does not know (any more) is `stale`; throwing
   * means that the state is unknown at present.
   */
  read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice>;
  /** The lane names the agent and the model of this prompt, which may have been changed for later ones. */
  submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome>;
  /** Ends the running turn of a session and of those below it. Safe to repeat. */
  abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** Throws an `AppError` with `ask_unknown` when the ask is no longer open. */
  answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void>;
  onHint(listener: (hint: Hint) => void): () => void;
  /** Live signals from the sessions of lanes, for display. Nothing is decided by them. */
  onSignal(listener: SignalListener): () => void;
  /**
   * Publishes the current state of the session's newest turn as signals, and of earlier turns whose end was not
   * published. For listeners that may have missed something, as after a restart.
   */
  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** With `keep`, agent programs continue, and the next run takes them over. */
  close(options?: { keep: boolean }): Promise<void>;
};
