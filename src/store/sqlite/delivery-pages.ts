/** Deliveries by lane, message, status and words, newest first. Each combination of filters has its own statement. */
import type Database from "better-sqlite3";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import type { DeliveryFilter } from "../port.ts";
import { seqOf } from "./log/log.ts";

/** `record` is null while the delivery is active. */
type DeliveryRow = { seq: number; record: string | null };
type Wanted = { before: number; limit: number; lane: string; message: string };

type SearchedPage = Wanted & { words: string };

/** No index covers what is searched, so only the newest are, however long the history is. */
const searched = 5000;

/** The condition of the index of ended deliveries, which SQLite only uses if a statement repeats it. */
export const hasEnded = "status IN ('responded', 'cancelled', 'failed_terminal')";
const ended: readonly Status[] = ["responded", "cancelled", "failed_terminal"];

export function deliveryPages(db: Database.Database): (filter: DeliveryFilter) => DeliveryRow[] {
  const prepared = new Map<string, Database.Statement<[Wanted], DeliveryRow>>();
  const statementFor = (where: string) => {
    const statement = prepared.get(where) ?? prepare(db, where);
    prepared.set(where, statement);
    return statement;
  };

  const searches = new Map<string, Database.Statement<[SearchedPage], DeliveryRow>>();
  const searchFor = (where: string) => {
    const statement = searches.get(where) ?? prepareSearch(db, where);
    searches.set(where, statement);
    return statement;
  };

  return ({ laneId, messageId, statuses, query, limit, cursor }) => {
    // Few messages share an id: the plus keeps SQLite from starting with a lane or a status, which many share.
    const plus = messageId === undefined ? "" : "+";
    const where = [
      ...(laneId === undefined ? [] : [`${plus}delivery.lane_id = @lane`]),
      ...(messageId === undefined ? [] : ["message.id = @message"]),
      "delivery.message_seq < @before",
    ].join(" AND ");
    const wanted = {
      before: cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor),
      limit,
      lane: laneId ?? "",
      message: messageId ?? "",
    };
    const words = query === undefined ? null : JSON.stringify(wordsIn(query));
    const rowsOf = (of: string) =>
      words === null ? statementFor(of).all(wanted) : searchFor(of).all({ ...wanted, words });
    if (statuses === undefined) return rowsOf(where);
    // Each status is read in order, and only up to the limit. Several in one query would all be read and sorted.
    return [...new Set(statuses)]
      .flatMap((status) => rowsOf(`${where} AND ${ofStatus(status, plus)}`))
      .sort((one, other) => other.seq - one.seq)
      .slice(0, limit);
  };
}

/** Statuses are ours, so they are safe in a statement; only then does SQLite use a partial index on them. */
function ofStatus(status: Status, plus: string): string {
  if (ended.includes(status)) return `${plus}delivery.status = '${status}' AND delivery.${hasEnded}`;
  return status === "pending"
    ? `${plus}delivery.status = 'pending'`
    : `${plus}delivery.status = '${status}' AND delivery.outstanding`;
}

function prepare(db: Database.Database, where: string): Database.Statement<[Wanted], DeliveryRow> {
  return db.prepare<[Wanted], DeliveryRow>(`
    SELECT delivery.message_seq AS seq, delivery.record
    FROM delivery JOIN message ON message.seq = delivery.message_seq
    WHERE ${where} ORDER BY delivery.message_seq DESC LIMIT @limit`);
}

export function wordsIn(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/**
 * Searches by words in the message id, lane, status and reason, or by the start of the own id.
 *
 * The record of an active delivery is only in the log: it matches whatever its reason, and must be checked again.
 */
function prepareSearch(db: Database.Database, where: string): Database.Statement<[SearchedPage], DeliveryRow> {
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
