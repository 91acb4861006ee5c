/** Cursors of the log: a position, and what the reader knows to be missing. Nobody outside should calculate with them. */
import { AppError } from "../../../app-error.ts";

/** `knownLost`: the reader was told that something up to here is not kept any more. */
export type LogPosition = { position: number; knownLost: number };

export function logCursor(position: number, knownLost = 0): string {
  return knownLost > position ? `${position}-${knownLost}` : String(position);
}

/** Null for a cursor of a version that kept several logs: what came after it cannot be told. */
export function logPosition(cursor: string): LogPosition | null {
  const [, position, knownLost = "0"] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(cursor) ?? [];
  if (position !== undefined) return { position: Number(position), knownLost: Number(knownLost) };
  if (/^[ve]1\.\d/.test(Buffer.from(cursor, "base64url").toString("latin1"))) return null;
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of the log.",
    hint: "Use one from an earlier answer as it is, or none.",
  });
}
