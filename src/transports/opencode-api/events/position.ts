/**
 * Where a client stands in its stream, as the `id` of each event says it: the last universal event that it has seen
 * whole, how many of the OpenCode events of the next one it has seen, and how far it knows of changes of lanes.
 */
import { AppError } from "../../../app-error.ts";

export type Position = { events: string; seen: number; feed: string };

export function positionText({ events, seen, feed }: Position): string {
  return `${events}.${seen}.${feed}`;
}

export function positionFrom(text: string): Position {
  const [, events, seen, feed] = /^([\w-]{1,200})\.(\d{1,6})\.([\w-]{1,200})$/.exec(text) ?? [];
  if (events !== undefined && feed !== undefined) return { events, seen: Number(seen), feed };
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of OpenCode's events.",
    hint: "Use the id of an event of the same stream as it is, or none.",
  });
}
