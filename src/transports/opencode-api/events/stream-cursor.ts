/**
 * A client's position in its stream, sent as the `id` of each event: the last log item that it has seen completely, and
 * how many OpenCode events of the next item it has seen.
 */
import { AppError } from "../../../platform/app-error.ts";

export type StreamCursor = { log: string; seen: number };

export function cursorText({ log, seen }: StreamCursor): string {
  return `${log}.${seen}`;
}

/** An earlier version had a third part; its first part is an outdated cursor, which the log detects. */
export function parseCursor(text: string): StreamCursor {
  const [, log, seen, older] = /^([\w-]{1,200})\.(\d{1,6})(\.[\w-]{1,200})?$/.exec(text) ?? [];
  if (log !== undefined) return { log, seen: older === undefined ? Number(seen) : 0 };
  throw new AppError({
    code: "cursor_invalid",
    message: "Invalid event cursor.",
    hint: "Use the id of an event from the same stream unchanged, or omit it.",
  });
}
