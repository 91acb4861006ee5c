/** A row of the transition table: which states accept an event, and what it changes. */
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

/** Exactly one row for each of these events. */
export type TransitionRules<T extends DeliveryEventType> = { [Type in T]: TransitionRule<Type> };
