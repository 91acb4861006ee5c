/** A row of the table that `transition` goes by: from which states an event is taken, and what it changes. */
import type { Effect, EventOf, EventType } from "../delivery-event.ts";
import type { DeliveryRecord, Status } from "../record.ts";

export type RecordPatch = Partial<DeliveryRecord>;

export type Move<T extends EventType> = {
  from: readonly Status[];
  /** Why the event does not fit although the state does, or null. */
  refuse?: (record: DeliveryRecord, event: EventOf<T>) => string | null;
  change: (record: DeliveryRecord, event: EventOf<T>) => RecordPatch;
  effects?: (record: DeliveryRecord) => readonly Effect[];
};

/** One row for each of these events, no more and no less. */
export type Moves<T extends EventType> = { [Type in T]: Move<Type> };

const mostDiagnostics = 20;

export function addDiagnostics(record: DeliveryRecord, more: readonly string[]): readonly string[] {
  return [...new Set([...record.diagnostics, ...more])].slice(-mostDiagnostics);
}
