/**
 * Records that an earlier version wrote, as this one knows them. A record is a document, so a field that came later is
 * missing in it. What it fills in is what folding the old events gives, so that a record stays what its audit amounts to.
 */
import type { DeliveryRecord } from "./record.ts";
import { untimed } from "./timing.ts";

type Later = "claims" | "rounds";
type Written = Omit<DeliveryRecord, Later> & Partial<Pick<DeliveryRecord, Later>>;

export function recordFrom(json: string): DeliveryRecord {
  return upcast(JSON.parse(json) as Written);
}

export function upcast(record: Written): DeliveryRecord {
  const attemptList = record.attemptList.map((attempt) => ({ ...untimed, ...attempt }));
  return { ...record, claims: record.claims ?? null, rounds: record.rounds ?? 1, attemptList };
}
