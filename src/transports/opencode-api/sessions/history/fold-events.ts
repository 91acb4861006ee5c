/** Projects kept events from the first one on. There may be thousands, so it yields to other work in between. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import type { NativeEvent, SessionSettings } from "../../projection/native-event.ts";
import { SessionProjection } from "../../projection/session-projection.ts";

export type FoldedEvents = {
  projection: SessionProjection;
  events: readonly UniversalEvent[];
  published: readonly NativeEvent[];
  /** The event that each message began with. */
  begun: ReadonlyMap<string, UniversalEvent>;
};

const eventsATurn = 250;

export async function foldEvents(events: readonly UniversalEvent[], settings: SessionSettings): Promise<FoldedEvents> {
  const projection = new SessionProjection(settings);
  const begun = new Map<string, UniversalEvent>();
  const published: NativeEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (index % eventsATurn === eventsATurn - 1) await nextTurn();
    for (const one of projection.take(event)) {
      published.push(one);
      const messageID = one.type === "message.updated" ? (one.properties.info as { id: string }).id : null;
      if (messageID !== null && !begun.has(messageID)) begun.set(messageID, event);
    }
  }
  return { projection, events, published, begun };
}
