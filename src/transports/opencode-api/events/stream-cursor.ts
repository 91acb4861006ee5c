/**
 * How far a client has come in its stream, as the `id` of each event has it: the last item of the log that it has seen whole,
 * and how many OpenCode events of the next one it has seen.
 */
import { AppError } from "../../../app-error.ts";

export type StreamCursor = { log: string; seen: number };

export function cursorText({ log, seen }: StreamCursor): string {
  return `${log}.${seen}`;
}

/** The version before had a third part; its first is an old cursor, and the log says so. */
export function parseCursor(text: string): StreamCursor {
  const [, log, seen, older] = /^([\w-]{1,200})\.(\d{1,6})(\.[\w-]{1,200})?$/.exec(text) ?? [];
  if (log !== undefined) return { log, seen: older === undefined ? Number(seen) : 0 };
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of OpenCode's events.",
    hint: "Use the id of an event of the same stream as it is, or none.",
  });
}
