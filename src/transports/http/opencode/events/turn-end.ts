/**
 * Whether the turn that answers a message is over, concluded from a lane's events in their order. Pure. A turn that
 * failed does not end it as long as the delivery goes on, for it is tried again.
 */
import type { AttemptNote, DeliveryEndNote } from "../../../../events/delivery-notes.ts";
import { attemptNote } from "../../../../events/delivery-notes.ts";
import type { UniversalEvent } from "../../../../events/universal-event.ts";
import { noteOf } from "./recall-lane.ts";

/** `turn` is the lane's number of it; null when the delivery ended without one that was seen. */
export type TurnEnd = { turn: number | null; delivery: string | null };

export type Awaited = {
  message: string;
  sent: boolean;
  /** It was sent to a program that takes no ids: the next turn is its own. */
  expectsNext: boolean;
  /** The prompts that were sent for it, as far as they have ids. */
  prompts: readonly string[];
  /** The turn that runs, if one does; whether it is this message's; whether the agent has said something in it. */
  running: { turn: number | null; isIts: boolean; hasAnswer: boolean } | null;
  last: number | null;
  /** How the delivery ended. */
  delivery: string | null;
  end: TurnEnd | null;
};

export function awaiting(message: string): Awaited {
  return {
    message,
    sent: false,
    expectsNext: false,
    prompts: [],
    running: null,
    last: null,
    delivery: null,
    end: null,
  };
}

export function awaitedAfter(state: Awaited, event: UniversalEvent): Awaited {
  if (state.end) return state;
  const note = noteOf(event);
  if (note) return note.message === state.message ? afterNote(state, event) : state;
  switch (event.type) {
    case "turn.started": {
      const { prompt } = event.data;
      const isIts = state.expectsNext || (prompt !== null && state.prompts.includes(prompt));
      return { ...state, expectsNext: false, running: { turn: event.turn, isIts, hasAnswer: false } };
    }
    case "item.completed": {
      const { kind, role } = event.data.item;
      if (!state.running || kind !== "message" || role !== "assistant") return state;
      return { ...state, running: { ...state.running, hasAnswer: true } };
    }
    case "turn.ended":
      return afterTurn(state, event.data.reason);
    default:
      return state;
  }
}

function afterNote(state: Awaited, event: UniversalEvent): Awaited {
  if (event.type !== "item.completed") return state;
  const [part] = event.data.item.parts;
  const value = part?.type === "json" ? part.value : null;
  if (event.data.item.name === attemptNote) {
    const { prompt } = value as AttemptNote;
    const expectsNext = prompt === null;
    return { ...state, sent: true, expectsNext, prompts: expectsNext ? state.prompts : [...state.prompts, prompt] };
  }
  const delivery: string = (value as DeliveryEndNote).status;
  // A turn whose prompt is not known by its id may be its own, too.
  const waits = state.running !== null && state.sent;
  return { ...state, delivery, end: waits ? null : { turn: state.last, delivery } };
}

function afterTurn(state: Awaited, reason: string): Awaited {
  const { running, delivery } = state;
  const turn = running?.isIts ? running.turn : state.last;
  const isDone = running?.isIts === true && (reason === "aborted" || (reason === "completed" && running.hasAnswer));
  return { ...state, running: null, last: turn, end: isDone || delivery !== null ? { turn, delivery } : null };
}
