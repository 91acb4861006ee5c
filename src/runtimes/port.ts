/** What a runtime promises. It never decides whether a message was answered: it shows what happened, and `core` judges. */
import type { SubmitOutcome } from "../core/delivery/attempt.ts";
import type { Lane, Notice } from "../core/lane/lane.ts";
import type { Attachment } from "../core/message/message.ts";
import type { RuntimeIds, RuntimeTraits, TranscriptSlice } from "../core/transcript/transcript.ts";
import type { Signal } from "../core/turn/signal.ts";

export type Prompt = RuntimeIds & { sessionId: string; text: string; attachments: readonly Attachment[] };

export type { SubmitOutcome };

export type AskAnswer = { decision: "once" | "always" | "reject"; answers?: readonly (readonly string[])[] };

export type Hint = { sessionId: string };

export type SignalListener = (laneId: string, signal: Signal) => void;

/**
 * What an agent's `message_send` tool does. The sender is the lane that the call came from, whatever the call says.
 * The same call may come twice after a crash, with the same id.
 */
export type PostMessage = (message: {
  id: string;
  lane: string;
  to: string;
  text: string;
  summary: string | null;
  relayOfMessageId: string | null;
}) => Promise<void>;

/** `renamed`: the rows whose ids are others than in the session that they were copied from, by their old ids. */
export type ForkedSession = { sessionId: string; renamed: ReadonlyMap<string, string> };

export type Runtime = {
  readonly kind: string;
  readonly traits: RuntimeTraits;
  /** The ids that this runtime takes, made from a digest that is unique to one attempt. */
  idsFrom(digest: string): RuntimeIds;
  /**
   * Adopts or ends what the last run left behind; awaited before anything is observed. When `stopping` is aborted, what
   * is being started is ended, and this settles soon.
   */
  recover(stopping?: AbortSignal): Promise<void>;
  /**
   * Null when prompts can be handed over, else why not, in none of the lanes that use it. What is the matter with some of
   * them is a notice. Costs no tokens.
   */
  health(signal: AbortSignal, lanes: readonly Lane[]): Promise<string | null>;
  /** What does not go as it should in a lane. Absent where there is never anything to say. */
  notices?(lane: Lane): readonly Notice[];
  /** The models that the program lists for a directory, each as a lane names it. Absent where it lists none. */
  models?(directory: string, signal: AbortSignal): Promise<readonly string[]>;
  openSession(lane: Lane, signal: AbortSignal): Promise<string>;
  /**
   * Nobody asks about the lane and its sessions any more: what is remembered of them alone is let go. Sessions of other
   * runtimes that the lane had are among them.
   */
  laneRemoved?(laneId: string, sessionIds: readonly string[]): void;
  /**
   * Resolves when a lane can go on in a session that somebody else began; an `AppError` says why it cannot. Nothing in
   * the session is changed. Absent where a runtime only goes on in sessions that it opened.
   */
  checkAdoption?(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /**
   * A new session for `lane` with all that another session in the same directory has before the prompt `before` (the id
   * of its row), or with everything. That one is at rest, and stays as it is. An `AppError` with `message_unknown` says
   * that it has no such prompt. Absent where a program cannot.
   */
  fork?(lane: Lane, from: { sessionId: string; before: string | null }, signal: AbortSignal): Promise<ForkedSession>;
  /**
   * The newest `limit` rows, or all of them. A session that the program does not know (any more) is `stale`; throwing
   * means that nothing can be said at present.
   */
  read(lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal): Promise<TranscriptSlice>;
  submit(lane: Lane, prompt: Prompt, signal: AbortSignal): Promise<SubmitOutcome>;
  /** Ends the running turn of a session and of those below it. Safe to repeat. */
  abort(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** An `AppError` with `ask_unknown` says that nothing is asked under this id any more. */
  answer(lane: Lane, askId: string, answer: AskAnswer): Promise<void>;
  onHint(listener: (hint: Hint) => void): () => void;
  /** What happens in the sessions of lanes, as it happens, for those who watch. Nothing is decided by it. */
  onSignal(listener: SignalListener): () => void;
  /**
   * Says again, as signals, all of the session's newest turn as it stands by now, and of those before it whose end was
   * not said. For whoever may have missed something, as after a restart.
   */
  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void>;
  /** With `keep`, agent programs that it started go on, and the next run takes them over. */
  close(options?: { keep: boolean }): Promise<void>;
};
