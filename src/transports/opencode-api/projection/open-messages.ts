/**
 * The messages of a lane that were admitted and have not ended, by the ledger's notes: which prompt belongs to which, what
 * the last turn of each failed with, and which turn is to begin next.
 */
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { userMessageId } from "../ids.ts";
import type { StepError } from "./assistant-step.ts";

type OpenMessage = { messageID: string; round: number; hadTurn: boolean; error: StepError | null };

/** How a message that was open has ended: `error` is that of its last turn. */
type EndedMessage = Pick<OpenMessage, "messageID" | "hadTurn" | "error">;

/** What a prompt stands for. `isFirst` is false for a later one, whose text is not the message itself. */
export type AnsweredMessage = { messageID: string; isFirst: boolean };

export class OpenMessages {
  readonly #lane: string;
  readonly #open = new Map<string, OpenMessage>();
  readonly #attempts = new Map<string, AttemptNote>();
  /** The message that the turn which runs, or ran last, answers. */
  #answered: string | null = null;
  /** Sent, and its turn has not begun. `queued`: the program has a prompt already and takes it next. */
  #expected: AttemptNote | "queued" | null = null;

  constructor(lane: string) {
    this.#lane = lane;
  }

  /** Whether there is one, or a turn is to come. */
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
    // Its admission was not noted, so only its prompt shows it; or its end was noted already, and a prompt that never
    // becomes a turn would be expected for ever.
    if (!this.#open.has(attempt.message)) return;
    if (attempt.prompt !== null) this.#attempts.set(attempt.prompt, attempt);
    if (!inTurn) this.#expected = attempt;
  }

  /** What the last turn of an open message failed with. */
  errorOf(message: string): StepError | null {
    return this.#open.get(message)?.error ?? null;
  }

  /** Null when it was not open, or is not over: then its end was noted late, and a person has retried it since. */
  end({ message, round = 1 }: DeliveryEndNote): EndedMessage | null {
    const open = this.#open.get(message);
    if (open && open.round > round) return null;
    this.#open.delete(message);
    for (const [prompt, attempt] of this.#attempts) if (attempt.message === message) this.#attempts.delete(prompt);
    if (this.#expected !== "queued" && this.#expected?.message === message) this.#expected = null;
    return open ?? null;
  }

  /** Null when the turn answers none of them. */
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

  /** False when the turn answered none that is still open: then nothing more is said of its error. */
  endTurn(queued: number, error: StepError | null): boolean {
    if (queued > 0) this.#expected = "queued";
    const answered = this.#answered === null ? undefined : this.#open.get(this.#answered);
    if (answered) answered.error = error;
    return answered !== undefined;
  }

  /** The message that this prompt was sent for, where prompts have ids. */
  ofPrompt(prompt: string): AnsweredMessage | null {
    const attempt = this.#attempts.get(prompt);
    const message = attempt && this.#open.get(attempt.message);
    return message ? { messageID: message.messageID, isFirst: attempt.number === 1 } : null;
  }

  /** On a runtime that takes no ids, a turn begins with the prompt that was sent last. */
  #expectedWithoutId(): AttemptNote | null {
    return this.#expected !== "queued" && this.#expected?.prompt === null ? this.#expected : null;
  }
}
