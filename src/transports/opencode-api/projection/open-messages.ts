/**
 * The messages of a lane that were admitted and have not ended, by the ledger's notes: which of them wait, which prompt
 * stands for which, and which turn is to begin next.
 */
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { userMessageId } from "../ids.ts";

type OpenMessage = { messageID: string; round: number; isSent: boolean; hadTurn: boolean };

/** The message that a turn answers; a further prompt for the same message is not the message itself. */
export type Answered = { messageID: string; isFirst: boolean };

export class OpenMessages {
  readonly #lane: string;
  readonly #open = new Map<string, OpenMessage>();
  readonly #attempts = new Map<string, AttemptNote>();
  /** Sent, and its turn has not begun. `queued`: the program has a prompt already and takes it next. */
  #expected: AttemptNote | "queued" | null = null;

  constructor(lane: string) {
    this.#lane = lane;
  }

  /** Whether a turn is to come. */
  get hasNext(): boolean {
    return this.#expected !== null || [...this.#open.values()].some(({ isSent }) => !isSent);
  }

  /** Those that have not ended. */
  get ids(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ messageID }) => messageID));
  }

  /** Again when a person retries it: it is the same message then. */
  admitted({ message, round = 1, createdAt }: DeliveryNote): string {
    const messageID = userMessageId(this.#lane, { id: message, createdAt });
    this.#open.set(message, { messageID, round, isSent: false, hadTurn: false });
    return messageID;
  }

  sent(attempt: AttemptNote, inTurn: boolean): void {
    const message = this.#open.get(attempt.message);
    // Its beginning was not noted, so its prompt is all that shows it; or its end was, and no other will be: a prompt that
    // never becomes a turn would be waited for without end.
    if (!message) return;
    message.isSent = true;
    if (attempt.prompt !== null) this.#attempts.set(attempt.prompt, attempt);
    if (!inTurn) this.#expected = attempt;
  }

  /** Whether it ended without a turn, and not well. */
  ended({ message, round = 1, status }: DeliveryEndNote): boolean {
    const open = this.#open.get(message);
    // Noted late, after a crash; a person has retried it since.
    if (open && open.round > round) return false;
    this.#open.delete(message);
    for (const [prompt, attempt] of this.#attempts) if (attempt.message === message) this.#attempts.delete(prompt);
    if (this.#expected !== "queued" && this.#expected?.message === message) this.#expected = null;
    return open?.hadTurn === false && status !== "responded";
  }

  /** Null when the turn answers none of them. */
  turnBegins(prompt: string | null): Answered | null {
    const attempt = (prompt !== null && this.#attempts.get(prompt)) || unnamed(this.#expected);
    this.#expected = null;
    const message = attempt ? this.#open.get(attempt.message) : undefined;
    if (!attempt || !message) return null;
    message.hadTurn = true;
    return { messageID: message.messageID, isFirst: attempt.number === 1 };
  }

  turnEnds(queued: number): void {
    if (queued > 0) this.#expected = "queued";
  }

  /** Whether this prompt is a message in the words of its sender. */
  isMessage(prompt: string): boolean {
    return this.#attempts.get(prompt)?.number === 1;
  }
}

/** On a runtime that takes no ids, the prompt that was sent last is the one that a turn begins with. */
function unnamed(expected: AttemptNote | "queued" | null): AttemptNote | null {
  return expected !== null && expected !== "queued" && expected.prompt === null ? expected : null;
}
