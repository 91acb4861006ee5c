/**
 * A place in the log of events. Whoever was told that something is missing goes on below the end of what is missing:
 * the second number says how far they know of it, so that they are told once.
 */
import { AppError } from "../../app-error.ts";

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
