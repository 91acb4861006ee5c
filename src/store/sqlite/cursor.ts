/** Cursors are sequence numbers that nobody outside should calculate with. */
import { AppError } from "../../app-error.ts";

export function cursorFrom(seq: number): string {
  return Buffer.from(`v1.${seq}`).toString("base64url");
}

export function seqOf(cursor: string): number {
  const [, digits] = /^v1\.(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new AppError({
      code: "cursor_invalid",
      message: "The cursor was not made by Waybill.",
      hint: "Use one from an earlier answer as it is, or none.",
    });
  }
  return Number(digits);
}

export type EventPlace = { place: number; knownLost: number };

export function eventCursor({ place, knownLost }: EventPlace): string {
  return Buffer.from(knownLost > place ? `e1.${place}.${knownLost}` : `e1.${place}`).toString("base64url");
}

export function eventPlace(cursor: string): EventPlace {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, place, knownLost = "0"] = /^e1\.(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (place !== undefined) return { place: Number(place), knownLost: Number(knownLost) };
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of the events.",
    hint: "Use one from an earlier answer of the same stream as it is, or none.",
  });
}
