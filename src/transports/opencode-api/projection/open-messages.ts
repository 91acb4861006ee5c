/**
 * The messages of a lane that were admitted and have not ended, by the ledger's notes: which of them wait, which prompt
 * belongs to which, and which turn is to begin next.
 */
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { userMessageId } from "../ids.ts";

type OpenMessage = { messageID: string; round: number; isSent: boolean; hadTurn: boolean };

/** The message that a turn answers. `isFirst` is false for a later prompt, whose text is not the message itself. */
type AnsweredMessage = { messageID: string; isFirst: boolean };

export class OpenMessages {
  readonly #lane: string;
  readonly #open = new Map<string, OpenMessage>();
  readonly #attempts = new Map<string, AttemptNote>();
  /** Open and not sent; there may be thousands, and each event asks. */
  #unsent = 0;
  /** Sent, and its turn has not begun. `queued`: the program has a prompt already and takes it next. */
  #expected: AttemptNote | "queued" | null = null;

  constructor(lane: string) {
    this.#lane = lane;
  }

  /** Whether a turn is to come. */
  get hasNext(): boolean {
    return this.#expected !== null || this.#unsent > 0;
  }

  get ids(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ messageID }) => messageID));
  }

  admit({ message, round = 1, createdAt }: DeliveryNote): string {
    const messageID = userMessageId(this.#lane, { id: message, createdAt });
    this.#remove(message);
    this.#open.set(message, { messageID, round, isSent: false, hadTurn: false });
    this.#unsent += 1;
    return messageID;
  }

  addAttempt(attempt: AttemptNote, inTurn: boolean): void {
    const message = this.#open.get(attempt.message);
    // Its admission was not noted, so only its prompt shows it; or its end was noted already, and a prompt that never
    // becomes a turn would be expected for ever.
    if (!message) return;
    if (!message.isSent) this.#unsent -= 1;
    message.isSent = true;
    if (attempt.prompt !== null) this.#attempts.set(attempt.prompt, attempt);
    if (!inTurn) this.#expected = attempt;
  }

  /** Whether it ended without a turn, and not well. */
  end({ message, round = 1, status }: DeliveryEndNote): boolean {
    const open = this.#open.get(message);
    // Noted late, after a crash; a person has retried it since.
    if (open && open.round > round) return false;
    this.#remove(message);
    for (const [prompt, attempt] of this.#attempts) if (attempt.message === message) this.#attempts.delete(prompt);
    if (this.#expected !== "queued" && this.#expected?.message === message) this.#expected = null;
    return open?.hadTurn === false && status !== "responded";
  }

  /** Null when the turn answers none of them. */
  beginTurn(prompt: string | null): AnsweredMessage | null {
    const attempt = (prompt !== null && this.#attempts.get(prompt)) || this.#expectedWithoutId();
    this.#expected = null;
    const message = attempt ? this.#open.get(attempt.message) : undefined;
    if (!attempt || !message) return null;
    message.hadTurn = true;
    return { messageID: message.messageID, isFirst: attempt.number === 1 };
  }

  endTurn(queued: number): void {
    if (queued > 0) this.#expected = "queued";
  }

  /** Whether this prompt has the text of a message as its sender wrote it. */
  isMessage(prompt: string): boolean {
    return this.#attempts.get(prompt)?.number === 1;
  }

  #remove(message: string): void {
    if (this.#open.get(message)?.isSent === false) this.#unsent -= 1;
    this.#open.delete(message);
  }

  /** On a runtime that takes no ids, a turn begins with the prompt that was sent last. */
  #expectedWithoutId(): AttemptNote | null {
    return this.#expected !== "queued" && this.#expected?.prompt === null ? this.#expected : null;
  }
}
