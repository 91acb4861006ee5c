/** A row of the table that `transition` goes by: from which states an event is taken, and what it changes. */
import type { DeliveryEventType, Effect, EventOf } from "../delivery-event.ts";
import type { DeliveryRecord, Status } from "../record.ts";

export type RecordPatch = Partial<DeliveryRecord>;

export type TransitionRule<T extends DeliveryEventType> = {
  from: readonly Status[];
  /** Why the event does not fit although the state does, or null. */
  refuse?: (record: DeliveryRecord, event: EventOf<T>) => string | null;
  change: (record: DeliveryRecord, event: EventOf<T>) => RecordPatch;
  effects?: (record: DeliveryRecord) => readonly Effect[];
};

/** One row for each of these events, no more and no less. */
export type TransitionRules<T extends DeliveryEventType> = { [Type in T]: TransitionRule<Type> };
