/**
 * Merges the translation of an event for clients that got the deltas before it with the translation for clients that
 * did not. Events in both are taken from the second and counted there, so they are the same live and in a replay.
 */
import type { NativeEvent } from "../projection/native-event.ts";

/** `number` counts the events of a replay; null for an event that is only published live. */
export type NumberedEvent = { event: NativeEvent; number: number | null };

export function mergeLiveEvents(kept: readonly NativeEvent[], live: readonly NativeEvent[]): NumberedEvent[] {
  const all: NumberedEvent[] = [];
  let next = 0;
  for (const event of live) {
    const found = kept.findIndex((one, index) => index >= next && keyOf(one) === keyOf(event));
    if (found < 0) {
      all.push({ event, number: null });
      continue;
    }
    all.push(...numbered(kept, next, found + 1));
    next = found + 1;
  }
  return [...all, ...numbered(kept, next, kept.length)];
}

/** Includes events already published live: not all clients were connected then. */
function numbered(kept: readonly NativeEvent[], from: number, to: number): NumberedEvent[] {
  return kept.slice(from, to).map((event, index) => ({ event, number: from + index + 1 }));
}

/** Identifies the message, part or ask that the event is about. */
function keyOf({ type, properties }: NativeEvent): string {
  const { info, part, id, requestID, partID } = properties as Record<string, { id?: unknown } | undefined>;
  return JSON.stringify([type, info?.id, part?.id, id, requestID, partID, properties.sessionID]);
}
