/** Kept events, told anew from the first of them on. Pure. */
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import type { Emitted, Place } from "../../projection/session-projection.ts";
import { SessionProjection } from "../../projection/session-projection.ts";

export type Told = {
  projection: SessionProjection;
  events: readonly UniversalEvent[];
  emitted: readonly Emitted[];
  /** The event that each message began with. */
  begun: ReadonlyMap<string, UniversalEvent>;
};

export function foldEvents(events: readonly UniversalEvent[], place: Place): Told {
  const projection = new SessionProjection(place);
  const begun = new Map<string, UniversalEvent>();
  const emitted: Emitted[] = [];
  for (const event of events) {
    for (const one of projection.take(event)) {
      emitted.push(one);
      const messageID = one.type === "message.updated" ? (one.properties.info as { id: string }).id : null;
      if (messageID !== null && !begun.has(messageID)) begun.set(messageID, event);
    }
  }
  return { projection, events, emitted, begun };
}
