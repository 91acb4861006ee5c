/**
 * How far a client has come in its stream, as the `id` of each event has it: the last universal event that it has seen
 * whole, how many OpenCode events of the next one it has seen, and the last change of lanes.
 */
import { AppError } from "../../../app-error.ts";

export type StreamCursor = { events: string; seen: number; feed: string };

export function cursorText({ events, seen, feed }: StreamCursor): string {
  return `${events}.${seen}.${feed}`;
}

export function parseCursor(text: string): StreamCursor {
  const [, events, seen, feed] = /^([\w-]{1,200})\.(\d{1,6})\.([\w-]{1,200})$/.exec(text) ?? [];
  if (events !== undefined && feed !== undefined) return { events, seen: Number(seen), feed };
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of OpenCode's events.",
    hint: "Use the id of an event of the same stream as it is, or none.",
  });
}
