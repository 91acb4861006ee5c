/**
 * Lets a request wait for the end of the turn that answers its message. It may begin to wait at any time, also when that
 * turn is over, or ran before a restart: what is kept of the lane is looked at first, and what happens meanwhile after it.
 */

import { isKept } from "../../../core/turn/bounded-event.ts";
import { isOver } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";
import { noteOf } from "./restore-lane.ts";
import type { Awaited, TurnEnd } from "./turn-end.ts";
import { awaitedAfter, awaiting } from "./turn-end.ts";

export type TurnWanted = { lane: string; messageId: string; signal: AbortSignal };

const atOnce = 100;

type Listener = { hear: (event: UniversalEvent) => void; fail: (error: unknown) => void };

export class TurnWaiter {
  readonly #service: Pick<Service, "eventsBefore" | "deliveries">;
  readonly #listeners = new Set<Listener>();

  constructor(service: Pick<Service, "eventsBefore" | "deliveries">) {
    this.#service = service;
  }

  get waiting(): number {
    return this.#listeners.size;
  }

  /** To be called once an event has been told to clients, so that they have it before the answer. */
  hear(event: UniversalEvent): void {
    if (isKept(event)) for (const listener of this.#listeners) listener.hear(event);
  }

  /** Nothing will be heard any more. */
  fail(error: unknown): void {
    for (const listener of this.#listeners) listener.fail(error);
  }

  /** Rejects with the signal's reason when that is aborted. */
  async end({ lane, messageId, signal }: TurnWanted): Promise<TurnEnd> {
    signal.throwIfAborted();
    const heard: UniversalEvent[] = [];
    let state: Awaited | null = null;
    let finish: (end: TurnEnd) => void = () => {};
    let fail: (error: unknown) => void = () => {};
    const ended = new Promise<TurnEnd>((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
    // It may be let go while the past is still read.
    ended.catch(() => {});
    const take = (event: UniversalEvent) => {
      if (state) state = awaitedAfter(state, event);
      if (state?.end) finish(state.end);
    };
    const hear = (event: UniversalEvent) => {
      if (event.lane !== lane) return;
      if (state) take(event);
      else heard.push(event);
    };
    const listener: Listener = { hear, fail };
    const onAbort = () => fail(signal.reason);
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const { past, endedAs } = await this.#past(lane, messageId);
      state = awaiting(messageId);
      const last = past.at(-1)?.seq ?? 0;
      // Of the past only how it stands by now counts: what had ended may have been begun again.
      for (const event of past) state = awaitedAfter(state, event);
      if (state.end) finish(state.end);
      for (const event of heard.filter(({ seq }) => seq > last)) take(event);
      if (endedAs !== null) finish({ turn: state.last, delivery: endedAs });
      return await ended;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The lane's events since the message was admitted, oldest first, and the beginning of the turn that ran then. */
  async #past(lane: string, messageId: string): Promise<Past> {
    const { items } = await this.#service.deliveries({ lane, messageId, limit: 1 });
    const record = items[0]?.record;
    const found: UniversalEvent[] = [];
    // Not in the ledger: nothing of it can have happened.
    if (record === undefined) return { past: found, endedAs: null };
    for (;;) {
      const page = await this.#service.eventsBefore(lane, found.at(-1)?.seq ?? null, atOnce);
      found.push(...page);
      if (page.some((event) => isBeginningOf(event, messageId))) return { past: found.reverse(), endedAs: null };
      if (page.length === 0 || (page.at(-1)?.time ?? 0) < record.createdAt) {
        return { past: found.reverse(), endedAs: isOver(record) ? record.status : null };
      }
    }
  }
}

/** `endedAs` when the delivery is over and its beginning is not kept any more: then its end may not be, either. */
type Past = { past: UniversalEvent[]; endedAs: string | null };

function isBeginningOf(event: UniversalEvent, messageId: string): boolean {
  const note = noteOf(event);
  return note?.begins === true && note.message === messageId;
}
