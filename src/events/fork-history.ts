/**
 * The history of a forked lane: the events of the original lane up to a prompt, as its own. Pure.
 *
 * The ledger's notes on messages are copied as well, since messages are shown by them, but only completed ones:
 * messages that wait or are being worked on stay in the original lane.
 */

import type { NewEvent } from "../core/log/log-item.ts";
import { bounded } from "../core/turn/bounded-event.ts";
import { attemptNote, deliveryNote, roundOf } from "../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import { AppError } from "../platform/app-error.ts";

export type History = {
  events: readonly UniversalEvent[];
  /** The first prompt that is left out, by its id in the agent's session; null if none is. */
  before: string | null;
  /** Whether the events end within a turn. */
  inTurn: boolean;
};

/** `before`: the number of the event that first published a message, or a prompt that was typed into the program. */
export function historyBefore(events: readonly UniversalEvent[], before: number | null): History {
  const cut = before === null ? { end: events.length, prompt: null, message: null } : cutAt(events, before);
  const kept = withoutOpenNotes(events.slice(0, cut.end), cut.message);
  const newest = kept.findLast(({ type }) => type === "turn.started" || type === "turn.ended");
  return { events: kept, before: cut.prompt, inTurn: newest?.type === "turn.started" };
}

type Noted = { item: string; message: string };

/** `message`: the message that is left out, with all of the ledger's notes on it. */
type Cut = { end: number; prompt: string | null; message: string | null };

export type CopyTo = { lane: string; session: string; renamed: ReadonlyMap<string, string>; newId: () => string };

/** Numbered from 1, with the ids that the agent's rows have in the new session. */
export function copiedEvents(events: readonly UniversalEvent[], { lane, session, renamed, newId }: CopyTo) {
  return events.map((event, index): NewEvent => {
    const data = renamed.size === 0 ? event.data : renamedIn(event.data, renamed);
    const copy = { ...event, data, id: newId(), seq: index + 1, lane, session, copied: true } as UniversalEvent;
    return { ...bounded(copy), kept: true };
  });
}

function cutAt(events: readonly UniversalEvent[], seq: number): Cut {
  const told = events.findIndex((event) => event.seq === seq);
  const event = events[told];
  if (event?.type !== "item.started" && event?.type !== "item.completed") throw notKept();
  const message = notedOf(event, deliveryNote)?.message ?? null;
  if (message === null) return cutBefore(events, event.data.item.id);
  // It may have waited during an earlier turn. A message that was never sent is cut before the next one that was.
  const sent = events.findIndex((one, place) => place > told && notedOf(one, attemptNote)?.message === message);
  const begins = events.findIndex((one, place) => place > Math.max(told, sent) && promptOf(one) !== null);
  const next = events[begins];
  const end = sent >= 0 ? sent : next ? begins : events.length;
  return { end, prompt: next ? promptOf(next) : null, message };
}

/** A prompt that somebody typed into the program begins a turn, or joins one. */
function cutBefore(events: readonly UniversalEvent[], prompt: string): Cut {
  const isIts = (event: UniversalEvent) =>
    promptOf(event) === prompt || (event.type === "item.started" && event.data.item.id === prompt);
  return { end: events.findIndex(isIts), prompt, message: null };
}

function promptOf(event: UniversalEvent): string | null {
  return event.type === "turn.started" ? event.data.prompt : null;
}

function withoutOpenNotes(events: readonly UniversalEvent[], leftOut: string | null): UniversalEvent[] {
  const over = new Set(
    events.map((event) => (event.type === "item.completed" ? notedOf(event, deliveryNote)?.item : null)),
  );
  return events.filter((event) => {
    const noted = notedOf(event, deliveryNote) ?? notedOf(event, attemptNote);
    return noted === null || (over.has(noted.item) && noted.message !== leftOut);
  });
}

/** The message that a ledger note is about, and the item of its round. */
function notedOf(event: UniversalEvent, name: typeof deliveryNote | typeof attemptNote): Noted | null {
  if (event.source !== "daemon" || (event.type !== "item.started" && event.type !== "item.completed")) return null;
  const { item } = event.data;
  if (item.name !== name) return null;
  const round = name === deliveryNote ? item.id : (item.parent ?? "");
  const message = roundOf(round)?.message;
  return message === undefined ? null : { item: round, message };
}

/** Ids are long and generated: no other text equals one. */
function renamedIn(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return renamed.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => renamedIn(one, renamed));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamedIn(one, renamed)]));
}

function notKept(): AppError {
  return new AppError({
    code: "message_unknown",
    message: "This part of the history is no longer kept.",
    hint: "Name a later message, or leave it out.",
  });
}
