/**
 * Lets a request wait for the end of the turn that answers its message. The wait may begin at any time, even after that
 * turn or after a restart: the lane's kept events are read first, then those that arrived during the read.
 */
import { isOver } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { LanePast } from "../history/read-events.ts";
import type { LedgerNote } from "../projection/ledger-notes.ts";
import { ledgerNote } from "../projection/ledger-notes.ts";

export type TurnRequest = { lane: string; messageId: string; signal: AbortSignal };

const pageSize = 100;

type Listener = { take: (event: UniversalEvent) => void; fail: (error: unknown) => void };

export class TurnWaiter {
  readonly #past: LanePast;
  readonly #listeners = new Set<Listener>();

  constructor(past: LanePast) {
    this.#past = past;
  }

  get waiting(): number {
    return this.#listeners.size;
  }

  /** Call it after publishing an event, so that clients have the event before the response. */
  take(event: UniversalEvent): void {
    if (event.type !== "item.delta") for (const listener of this.#listeners) listener.take(event);
  }

  /** No more events will come. */
  fail(error: unknown): void {
    for (const listener of this.#listeners) listener.fail(error);
  }

  /** Rejects with the signal's reason when that is aborted. */
  async end({ lane, messageId, signal }: TurnRequest): Promise<TurnEnd> {
    signal.throwIfAborted();
    const early: UniversalEvent[] = [];
    let state: TurnWait | null = null;
    let finish: (end: TurnEnd) => void = () => {};
    let fail: (error: unknown) => void = () => {};
    const ended = new Promise<TurnEnd>((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
    // It may fail while the past is still being read.
    ended.catch(() => {});
    const take = (event: UniversalEvent) => {
      if (event.lane !== lane) return;
      if (!state) return void early.push(event);
      state = advanceTurnWait(state, event);
      if (state.end) finish(state.end);
    };
    const listener: Listener = { take, fail };
    const onAbort = () => fail(signal.reason);
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const { events, endedAs } = await this.#readPast(lane, messageId);
      // Only the current state counts: a message that had ended may have been retried.
      const now = events.reduce(advanceTurnWait, newTurnWait(messageId));
      if (now.end) finish(now.end);
      state = now;
      const last = events.at(-1)?.seq ?? 0;
      for (const event of early) if (event.seq > last) take(event);
      if (endedAs !== null) finish({ turn: state.last, delivery: endedAs });
      return await ended;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The lane's events since the message was admitted, oldest first, including the start of the turn that ran then. */
  async #readPast(lane: string, messageId: string): Promise<Past> {
    const { items } = await this.#past.deliveries({ lane, messageId, limit: 1 });
    const record = items[0]?.record;
    const found: UniversalEvent[] = [];
    // Not in the ledger, so it cannot have any events.
    if (record === undefined) return { events: found, endedAs: null };
    for (;;) {
      const page = await this.#past.eventsBefore(lane, found.at(-1)?.seq ?? null, pageSize);
      found.push(...page);
      if (page.some((event) => admits(event, messageId))) return { events: found.reverse(), endedAs: null };
      if (page.length === 0 || (page.at(-1)?.time ?? 0) < record.createdAt) {
        return { events: found.reverse(), endedAs: isOver(record) ? record.status : null };
      }
    }
  }
}

/**
 * `endedAs` is set if the delivery is over and its admission is no longer kept: then its end may be missing as well.
 */
type Past = { events: UniversalEvent[]; endedAs: string | null };

function admits(event: UniversalEvent, messageId: string): boolean {
  const noted = ledgerNote(event);
  return noted?.type === "admitted" && noted.note.message === messageId;
}

/** `turn` is the turn's number in the lane; null if the delivery ended without an observed turn. */
export type TurnEnd = { turn: number | null; delivery: string | null };

/**
 * Whether a message is over and which turn was the last to answer it, derived from the lane's events in order. A failed
 * turn that is followed by another one is not the end.
 */
type TurnWait = {
  message: string;
  /** How often it was admitted: more than once when a person retried it. */
  round: number;
  sent: boolean;
  /** It was sent to a program that accepts no ids: the next turn belongs to it. */
  expectsNext: boolean;
  /** The ids of the prompts that were sent for it, if they have ids. */
  prompts: readonly string[];
  /** The running turn, and whether it belongs to this message. */
  running: { turn: number | null; isOwn: boolean } | null;
  last: number | null;
  /** How the delivery ended. */
  delivery: string | null;
  end: TurnEnd | null;
};

export function newTurnWait(message: string): TurnWait {
  return {
    message,
    round: 1,
    sent: false,
    expectsNext: false,
    prompts: [],
    running: null,
    last: null,
    delivery: null,
    end: null,
  };
}

/** An end stays, unless a person retries the message: then the wait starts again. */
export function advanceTurnWait(state: TurnWait, event: UniversalEvent): TurnWait {
  const noted = ledgerNote(event);
  if (noted?.note.message === state.message) {
    if (noted.type === "admitted") {
      const { round = 1 } = noted.note;
      return { ...newTurnWait(state.message), round, running: state.running && { ...state.running, isOwn: false } };
    }
    return keepEnd(state, afterNote(state, noted));
  }
  return noted ? state : keepEnd(state, afterEvent(state, event));
}

function keepEnd({ end }: TurnWait, next: TurnWait): TurnWait {
  return end ? { ...next, end } : next;
}

function afterNote(state: TurnWait, noted: Exclude<LedgerNote, { type: "admitted" }>): TurnWait {
  switch (noted.type) {
    case "sending":
    case "retry_scheduling":
    case "retry_scheduled":
      return state;
    case "sent": {
      const { prompt } = noted.note;
      const expectsNext = prompt === null;
      return { ...state, sent: true, expectsNext, prompts: expectsNext ? state.prompts : [...state.prompts, prompt] };
    }
    case "ended": {
      const { status: delivery, round = 1 } = noted.note;
      // Noted late, after a crash; a person has retried it since.
      if (round < state.round) return state;
      // A turn whose prompt has no known id may also belong to it.
      const waits = state.running !== null && state.sent;
      return { ...state, delivery, end: waits ? null : { turn: state.last, delivery } };
    }
    default:
      return noted satisfies never;
  }
}

function afterEvent(state: TurnWait, event: UniversalEvent): TurnWait {
  if (event.type === "turn.started") {
    const { prompt } = event.data;
    const isOwn = state.expectsNext || (prompt !== null && state.prompts.includes(prompt));
    return { ...state, expectsNext: false, running: { turn: event.turn, isOwn } };
  }
  if (event.type !== "turn.ended") return state;
  const { running, delivery } = state;
  const isOwn = running?.isOwn === true;
  const turn = isOwn ? running.turn : state.last;
  return { ...state, running: null, last: turn, end: delivery === null ? null : { turn, delivery } };
}
