/**
 * Derives from a lane's events, in order, whether a message is over and which turn was the last to answer it. A failed
 * turn that is followed by another one is not the end. Pure.
 */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { LedgerNote } from "../projection/ledger-note.ts";
import { ledgerNote } from "../projection/ledger-note.ts";

/** `turn` is the turn's number in the lane; null if the delivery ended without an observed turn. */
export type TurnEnd = { turn: number | null; delivery: string | null };

export type TurnWait = {
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
