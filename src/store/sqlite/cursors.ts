/** Cursors of lists are sequence numbers, and those of the log positions. Clients must not calculate with them. */
import { AppError } from "../../platform/app-error.ts";

export function cursorFrom(seq: number): string {
  return Buffer.from(`v1.${seq}`).toString("base64url");
}

export function seqOf(cursor: string): number {
  const [, digits] = /^v1\.(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new AppError({
      code: "cursor_invalid",
      message: "The cursor is invalid.",
      hint: "Use one from an earlier answer unchanged, or none.",
    });
  }
  return Number(digits);
}

/** `knownLost`: the reader knows that entries up to here may be missing. */
export type LogPosition = { position: number; knownLost: number };

export function logCursor(position: number, knownLost = 0): string {
  return knownLost > position ? `${position}-${knownLost}` : String(position);
}

/** Null for a cursor of a version with several logs: what came after it is unknown. */
export function logPosition(cursor: string): LogPosition | null {
  const [, position, knownLost = "0"] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(cursor) ?? [];
  if (position !== undefined) return { position: Number(position), knownLost: Number(knownLost) };
  if (/^[ve]1\.\d/.test(Buffer.from(cursor, "base64url").toString("latin1"))) return null;
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor does not belong to the log.",
    hint: "Use one from an earlier answer unchanged, or none.",
  });
}
