/**
 * Whether the turn that answers a message is over, concluded from a lane's events in their order. Pure. However it ended:
 * what the ledger does about a turn that answered nothing is seen as further turns.
 */
import type { AttemptNote, DeliveryEndNote, DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { attemptNote } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { noteOf } from "./restore-lane.ts";

/** `turn` is the lane's number of it; null when the delivery ended without one that was seen. */
export type TurnEnd = { turn: number | null; delivery: string | null };

export type Awaited = {
  message: string;
  /** How often it has begun: more than once when a person retried it. */
  round: number;
  sent: boolean;
  /** It was sent to a program that takes no ids: the next turn is its own. */
  expectsNext: boolean;
  /** The prompts that were sent for it, as far as they have ids. */
  prompts: readonly string[];
  /** The turn that runs, if one does, and whether it is this message's. */
  running: { turn: number | null; isIts: boolean } | null;
  last: number | null;
  /** How the delivery ended. */
  delivery: string | null;
  end: TurnEnd | null;
};

export function awaiting(message: string): Awaited {
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

/** What has ended has, unless a person retries the message since: then it is waited for anew. */
export function awaitedAfter(state: Awaited, event: UniversalEvent): Awaited {
  const note = noteOf(event);
  if (note?.begins && note.message === state.message) return begunAnew(state, event);
  const next = after(state, event, note?.message ?? null);
  return state.end ? { ...next, end: state.end } : next;
}

function begunAnew({ message, running }: Awaited, event: UniversalEvent): Awaited {
  const { round = 1 } = notedIn(event) as DeliveryNote;
  return { ...awaiting(message), round, running: running && { ...running, isIts: false } };
}

function notedIn(event: UniversalEvent): unknown {
  const [part] = event.type === "item.started" || event.type === "item.completed" ? event.data.item.parts : [];
  return part?.type === "json" ? part.value : null;
}

function after(state: Awaited, event: UniversalEvent, noted: string | null): Awaited {
  if (noted !== null) return noted === state.message ? afterNote(state, event) : state;
  switch (event.type) {
    case "turn.started": {
      const { prompt } = event.data;
      const isIts = state.expectsNext || (prompt !== null && state.prompts.includes(prompt));
      return { ...state, expectsNext: false, running: { turn: event.turn, isIts } };
    }
    case "turn.ended":
      return afterTurn(state);
    default:
      return state;
  }
}

function afterNote(state: Awaited, event: UniversalEvent): Awaited {
  if (event.type !== "item.completed") return state;
  const value = notedIn(event);
  if (event.data.item.name === attemptNote) {
    const { prompt } = value as AttemptNote;
    const expectsNext = prompt === null;
    return { ...state, sent: true, expectsNext, prompts: expectsNext ? state.prompts : [...state.prompts, prompt] };
  }
  const { status: delivery, round = 1 } = value as DeliveryEndNote;
  // Noted late, after a crash; a person has retried it since.
  if (round < state.round) return state;
  // A turn whose prompt is not known by its id may be its own, too.
  const waits = state.running !== null && state.sent;
  return { ...state, delivery, end: waits ? null : { turn: state.last, delivery } };
}

function afterTurn(state: Awaited): Awaited {
  const { running, delivery } = state;
  const isIts = running?.isIts === true;
  const turn = isIts ? running.turn : state.last;
  return { ...state, running: null, last: turn, end: isIts || delivery !== null ? { turn, delivery } : null };
}
