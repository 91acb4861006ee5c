/** How a delivery's record stands in the store: without what is empty, beside the columns that rules and queries need. */
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { isOutstanding, isOwed, upcast } from "../../core/delivery/record.ts";

export type DeliveryColumns = {
  version: number;
  status: string;
  outstanding: number;
  owed: number;
  nextReconcileAt: number | null;
  failedAt: number | null;
  readCommittedAt: number | null;
  proof: string | null;
  attempts: number;
  maxAttempts: number;
  updatedAt: number;
  team: string | null;
  record: string;
};

export function columnsOf(record: DeliveryRecord): DeliveryColumns {
  const { version, status, failedAt, readCommittedAt, attempts, maxAttempts, updatedAt, team } = record;
  return {
    version,
    status,
    outstanding: Number(isOutstanding(record)),
    owed: Number(isOwed(record)),
    nextReconcileAt: record.nextLookAt,
    failedAt,
    readCommittedAt,
    proof: record.proof?.by ?? null,
    attempts,
    maxAttempts,
    updatedAt,
    team,
    record: JSON.stringify(withoutEmpty(record)),
  };
}

/** The first event of a delivery holds its whole record. */
export function eventText(event: DeliveryEvent): string {
  return JSON.stringify("record" in event ? { ...event, record: withoutEmpty(event.record) } : event);
}

export function eventFrom(text: string): DeliveryEvent {
  const event = JSON.parse(text) as DeliveryEvent;
  return "record" in event ? { ...event, record: upcast(event.record) } : event;
}

function withoutEmpty(record: DeliveryRecord): object {
  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(record)) {
    if (value !== null && !(Array.isArray(value) && value.length === 0)) kept[field] = value;
  }
  return kept;
}
