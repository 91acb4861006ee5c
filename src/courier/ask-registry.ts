/**
 * The asks that wait for a person, in memory: an ask lives in the agent program, and every delivery that one blocks is
 * reconciled again after a start.
 *
 * Events announce an ask a moment before reconciling observes it, and are the only source for a turn that no delivery
 * began. So an announced ask is listed and can be answered, without the message that it holds up. Once observed, it stays
 * for as long as reconciling finds it.
 */
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding } from "../core/delivery/record.ts";
import type { LogItem } from "../core/log/log-item.ts";
import type { Ask } from "../core/transcript/transcript.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { AskAnswer } from "../runtimes/port.ts";

export type OpenAsk = Pick<Ask, "id" | "kind" | "title"> & {
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  /** Who sent the message that the agent works on. */
  person: string | null;
  since: number;
};

/** Passes a person's answer on to whoever asked. */
export type AnswerAsk = (answer: AskAnswer) => Promise<void>;

type AnnouncedAsk = Pick<OpenAsk, "id" | "kind" | "title" | "laneId" | "since">;

export class AskRegistry {
  readonly #open = new Map<string, OpenAsk>();
  /** By events, until they say how it ended. */
  readonly #announced = new Map<string, AnnouncedAsk & { isObserved: boolean }>();
  /** Of asks that no agent of ours asks: how they are answered. */
  readonly #answers = new Map<string, AnswerAsk>();
  readonly #listeners = new Set<() => void>();

  /** Oldest first. */
  list(): OpenAsk[] {
    const unobserved = [...this.#announced.values()].filter(({ isObserved }) => !isObserved);
    const announced = unobserved.map(({ id, kind, title, laneId, since }): OpenAsk => {
      return { id, kind, title, laneId, deliveryId: null, messageId: null, person: null, since };
    });
    return [...this.#open.values(), ...announced].sort((one, other) => one.since - other.since);
  }

  /** The lane whose agent asks this. */
  laneOf(askId: string): string | null {
    return this.#open.get(askId)?.laneId ?? this.#announced.get(askId)?.laneId ?? null;
  }

  /** Something that another program asks, and how it is answered. It stays until it is answered or taken back. */
  askedElsewhere(ask: Pick<OpenAsk, "id" | "title" | "laneId" | "since">, answer: AnswerAsk): void {
    const nobody = { deliveryId: null, messageId: null, person: null };
    this.#open.set(ask.id, { ...ask, kind: "permission", ...nobody });
    this.#answers.set(ask.id, answer);
    this.#notify();
  }

  /** Null for an ask of an agent of ours. */
  answerOf(askId: string): AnswerAsk | null {
    return this.#answers.get(askId) ?? null;
  }

  /** A client that follows events may answer an ask at once. */
  readonly onLog = (items: readonly LogItem[]): void => {
    for (const item of items) if (item.type === "event" && item.event.copied !== true) this.#onEvent(item.event);
  };

  /** All asks in a delivery's sessions. Those in the turn of a later delivery are not its own. */
  observed(record: DeliveryRecord, asks: readonly Ask[], now: number): void {
    if (!mayAsk(record)) return;
    const ids = new Set(asks.map((ask) => ask.id));
    const added = asks.filter((ask) => !this.#open.has(ask.id));
    const removed = this.#remove((ask) => ask.deliveryId === record.id && !ids.has(ask.id));
    for (const { id, kind, title, askedAt } of added) {
      const announced = this.#announced.get(id);
      if (announced) announced.isObserved = true;
      const { laneId, messageId, replyRecipient: person } = record;
      this.#open.set(id, { id, kind, title, laneId, deliveryId: record.id, messageId, person, since: askedAt ?? now });
    }
    if (removed + added.length > 0) this.#notify();
  }

  answered(askId: string): void {
    this.#announced.delete(askId);
    this.#answers.delete(askId);
    if (this.#open.delete(askId)) this.#notify();
  }

  /** A delivery whose turn is over blocks on nothing. */
  readonly onDeliveryChange = ({ record }: { record: DeliveryRecord }): void => {
    if (!mayAsk(record) && this.#remove((ask) => ask.deliveryId === record.id) > 0) this.#notify();
  };

  laneRemoved(laneId: string): void {
    for (const ask of [...this.#announced.values()]) if (ask.laneId === laneId) this.#announced.delete(ask.id);
    if (this.#remove((ask) => ask.laneId === laneId) > 0) this.#notify();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #onEvent({ type, data, lane: laneId, time: since }: UniversalEvent): void {
    if (type === "permission.requested") {
      this.#announce({ id: data.ask, kind: "permission", title: data.title, laneId, since });
    } else if (type === "question.requested") {
      const title = data.questions.map(({ question }) => question).join("\n");
      this.#announce({ id: data.ask, kind: "question", title, laneId, since });
    } else if (type === "permission.resolved" || type === "question.resolved") this.answered(data.ask);
  }

  #announce(ask: AnnouncedAsk): void {
    this.#announced.set(ask.id, { ...ask, isObserved: this.#open.has(ask.id) });
  }

  #remove(which: (ask: OpenAsk) => boolean): number {
    const removed = [...this.#open.values()].filter(which);
    for (const ask of removed) this.#open.delete(ask.id);
    return removed.length;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A turn may go on after its message was answered, and ask something that keeps the lane waiting. */
function mayAsk(record: DeliveryRecord): boolean {
  return record.status === "pending" || (record.status !== "cancelled" && isOutstanding(record));
}
