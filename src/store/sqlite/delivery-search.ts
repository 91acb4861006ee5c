/**
 * Searches deliveries by words in their message id, lane, status and reason, or by the start of their own id. No index
 * covers these, so only the newest are searched, however long the history is.
 */
import type Database from "better-sqlite3";
import type { DeliveryRecord } from "../../core/delivery/record.ts";

/** `record` is null while the delivery is active. */
export type DeliveryRow = { seq: number; record: string | null };
export type SearchedPage = { words: string; before: number; limit: number; lane: string; message: string };

const searched = 5000;

export function wordsIn(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** The record of an active delivery is only in the log: it matches whatever its reason, and must be checked again. */
export function prepareSearch(db: Database.Database, where: string): Database.Statement<[SearchedPage], DeliveryRow> {
  return db.prepare<[SearchedPage], DeliveryRow>(`
    SELECT seq, record FROM (
      SELECT delivery.message_seq AS seq, delivery.record, delivery.id, delivery.outstanding,
        lower(message.id || ' ' || delivery.lane_id || ' ' || delivery.status) AS names
      FROM delivery JOIN message ON message.seq = delivery.message_seq
      WHERE ${where} ORDER BY delivery.message_seq DESC LIMIT ${searched}) AS found
    WHERE (outstanding AND record IS NULL) OR NOT EXISTS (
      SELECT 1 FROM json_each(@words) AS word
      WHERE instr(names, word.value) = 0 AND instr(found.id, word.value) <> 1
        AND instr(lower(coalesce(record ->> '$.lastReason', '')), word.value) = 0)
    ORDER BY seq DESC LIMIT @limit`);
}

/** The same rule, for a record that is not stored next to its columns. */
export function hasWords(record: DeliveryRecord, words: readonly string[]): boolean {
  const { id, messageId, laneId, status, lastReason } = record;
  const names = [messageId, laneId, status, lastReason ?? ""].join(" ").toLowerCase();
  return words.every((word) => names.includes(word) || id.startsWith(word));
}
