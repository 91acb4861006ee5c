/**
 * Records that an earlier version wrote, as this one knows them. A record is a document, so a field that came later is
 * missing in it. What it fills in is what folding the old events gives, so that a record stays what its audit amounts to.
 */
import type { DeliveryRecord } from "./record.ts";
import { untimed } from "./timing.ts";

export function recordFrom(json: string): DeliveryRecord {
  const record = JSON.parse(json) as DeliveryRecord;
  return { ...record, attemptList: record.attemptList.map((attempt) => ({ ...untimed, ...attempt })) };
}
