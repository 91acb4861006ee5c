/** The ledger's notes about messages among a lane's events, and the messages that they show to be open. Pure. */
import type { AttemptNote, DeliveryEndNote, DeliveryNote, RetryNote } from "../../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote, retryNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { userMessageId } from "../ids.ts";
import type { ItemEvent, StepError } from "./session-view.ts";

/** A message is admitted again when a person retries it. */
export type LedgerNote =
  | { type: "admitted"; note: DeliveryNote }
  | { type: "sending" | "sent"; note: AttemptNote }
  | { type: "retry_scheduling" | "retry_scheduled"; note: RetryNote }
  | { type: "ended"; note: DeliveryEndNote };

export function isLedgerEvent(event: UniversalEvent): event is ItemEvent {
  const { source, synthetic, type } = event;
  return source === "daemon" && !synthetic && (type === "item.started" || type === "item.completed");
}

export function ledgerNote(event: UniversalEvent): LedgerNote | null {
  if (!isLedgerEvent(event)) return null;
  const { name, parts } = event.data.item;
  const value = parts[0]?.type === "json" ? parts[0].value : null;
  if (value === null) return null;
  const isCompleted = event.type === "item.completed";
  if (name === attemptNote) return { type: isCompleted ? "sent" : "sending", note: value as AttemptNote };
  if (name === retryNote) {
    return { type: isCompleted ? "retry_scheduled" : "retry_scheduling", note: value as RetryNote };
  }
  if (name !== deliveryNote) return null;
  return isCompleted
    ? { type: "ended", note: value as DeliveryEndNote }
    : { type: "admitted", note: value as DeliveryNote };
}

type OpenMessage = { messageID: string; round: number; hadTurn: boolean; error: StepError | null };

/** How an open message ended; `error` comes from its last turn. */
type EndedMessage = Pick<OpenMessage, "messageID" | "hadTurn" | "error">;

/**
 * The message that a prompt was sent for. `isFirst` is false for later prompts, whose text is not the message itself.
 */
export type AnsweredMessage = { messageID: string; isFirst: boolean };

/**
 * A lane's open messages, from the ledger's notes: which prompt belongs to which message, the error of each message's
 * last turn, and which turn should begin next.
 */
export class OpenMessages {
  readonly #lane: string;
  readonly #open = new Map<string, OpenMessage>();
  readonly #attempts = new Map<string, AttemptNote>();
  /** The message that the running or latest turn answers. */
  #answered: string | null = null;
  /**
   * The attempt that was sent but whose turn has not begun. `queued`: the program already has a prompt and takes it
   * next.
   */
  #expected: AttemptNote | "queued" | null = null;

  constructor(lane: string) {
    this.#lane = lane;
  }

  /** Whether a message is open, or a turn is expected. */
  get hasOpen(): boolean {
    return this.#expected !== null || this.#open.size > 0;
  }

  get ids(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ messageID }) => messageID));
  }

  admit({ message, round = 1, createdAt }: DeliveryNote): string {
    const messageID = userMessageId(this.#lane, { id: message, createdAt });
    this.#open.delete(message);
    this.#open.set(message, { messageID, round, hadTurn: false, error: null });
    return messageID;
  }

  addAttempt(attempt: AttemptNote, inTurn: boolean): void {
    // Either its admission was not noted, so only its prompt reveals it; or its end was already noted, and we would
    // wait forever for a prompt that never becomes a turn.
    if (!this.#open.has(attempt.message)) return;
    if (attempt.prompt !== null) this.#attempts.set(attempt.prompt, attempt);
    if (!inTurn) this.#expected = attempt;
  }

  /** The error of an open message's last turn. */
  errorOf(message: string): StepError | null {
    return this.#open.get(message)?.error ?? null;
  }

  /** Null if it was not open, or is open again: its end was noted late, and a person has retried it since. */
  end({ message, round = 1 }: DeliveryEndNote): EndedMessage | null {
    const open = this.#open.get(message);
    if (open && open.round > round) return null;
    this.#open.delete(message);
    for (const [prompt, attempt] of this.#attempts) if (attempt.message === message) this.#attempts.delete(prompt);
    if (this.#expected !== "queued" && this.#expected?.message === message) this.#expected = null;
    return open ?? null;
  }

  /** Null when the turn answers no open message. */
  beginTurn(prompt: string | null): AnsweredMessage | null {
    const attempt = (prompt !== null && this.#attempts.get(prompt)) || this.#expectedWithoutId();
    this.#expected = null;
    this.#answered = attempt ? attempt.message : null;
    const message = attempt ? this.#open.get(attempt.message) : undefined;
    if (!attempt || !message) return null;
    message.hadTurn = true;
    message.error = null;
    return { messageID: message.messageID, isFirst: attempt.number === 1 };
  }

  /** False when the turn answered no message that is still open: then its error is not reported later. */
  endTurn(queued: number, error: StepError | null): boolean {
    if (queued > 0) this.#expected = "queued";
    const answered = this.#answered === null ? undefined : this.#open.get(this.#answered);
    if (answered) answered.error = error;
    return answered !== undefined;
  }

  /** The message that this prompt was sent for, if prompts have ids. */
  ofPrompt(prompt: string): AnsweredMessage | null {
    const attempt = this.#attempts.get(prompt);
    const message = attempt && this.#open.get(attempt.message);
    return message ? { messageID: message.messageID, isFirst: attempt.number === 1 } : null;
  }

  /** On a runtime that accepts no ids, a turn begins with the prompt that was sent last. */
  #expectedWithoutId(): AttemptNote | null {
    return this.#expected !== "queued" && this.#expected?.prompt === null ? this.#expected : null;
  }
}
