/** Universal events for tests of the log. */

import type { NewEvent } from "../../../src/core/log/log-item.ts";
import type { EventBody, EventType, UniversalEvent } from "../../../src/core/turn/universal-event.ts";

export function anEvent(
  event: Partial<UniversalEvent> & { lane?: string; seq: number },
  said?: EventBody,
): UniversalEvent {
  const envelope = { id: `${event.lane ?? "lane"}-${event.seq}`, time: event.seq, lane: "lane", session: "ses-1" };
  const body: EventBody = said ?? { type: "error", data: { message: `e${event.seq}`, item: null } };
  return { ...envelope, turn: null, source: "agent", synthetic: false, ...event, ...body } as UniversalEvent;
}

/** As in a lane's log, without deltas. */
export function isKept({ type }: { type: EventType }): boolean {
  return type !== "item.delta";
}

export function logged(event: UniversalEvent): NewEvent {
  return { event, text: JSON.stringify(event), kept: isKept(event) };
}

/** A delta of text: it has the number of the previous event, and is not kept. */
export function aDelta(seq: number, text: string, lane = "lane"): NewEvent {
  const said = { type: "item.delta", data: { item: "a1", part: "p1", kind: "text", text } } as const;
  return logged(anEvent({ seq, lane }, said));
}

/** Events of a lane with these numbers, inclusive. */
export function someEvents(from: number, to: number, lane = "lane"): NewEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => logged(anEvent({ seq: from + index, lane })));
}
