/** Deliveries by lane, message and status, newest first. Each combination of filters is a statement of its own. */
import type Database from "better-sqlite3";
import type { Status } from "../../core/delivery/record.ts";
import type { DeliveryFilter } from "../port.ts";
import { seqOf } from "./cursor.ts";

type Row = { seq: number; record: string | null };
type Wanted = { before: number; limit: number; lane: string; message: string };

/** As the index of ended deliveries has it, which is only used where a statement repeats it. */
export const hasEnded = "status IN ('responded', 'cancelled', 'failed_terminal')";
const ended: readonly Status[] = ["responded", "cancelled", "failed_terminal"];

export function deliveryPages(db: Database.Database): (filter: DeliveryFilter) => Row[] {
  const prepared = new Map<string, Database.Statement<[Wanted], Row>>();
  const statementFor = (where: string) => {
    const statement = prepared.get(where) ?? prepare(db, where);
    prepared.set(where, statement);
    return statement;
  };

  return ({ laneId, messageId, statuses, limit, cursor }) => {
    // Few messages have one id: the plus keeps SQLite from beginning with a lane or a status, which many have.
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
    if (statuses === undefined) return statementFor(where).all(wanted);
    // One status is read in order and no further than wanted; several at once would all be read and sorted.
    return [...new Set(statuses)]
      .flatMap((status) => statementFor(`${where} AND ${ofStatus(status, plus)}`).all(wanted))
      .sort((one, other) => other.seq - one.seq)
      .slice(0, limit);
  };
}

/** Statuses are ours, so they may stand in a statement; an index that holds some of them is only used then. */
function ofStatus(status: Status, plus: string): string {
  if (ended.includes(status)) return `${plus}delivery.status = '${status}' AND delivery.${hasEnded}`;
  return status === "pending"
    ? `${plus}delivery.status = 'pending'`
    : `${plus}delivery.status = '${status}' AND delivery.outstanding`;
}

function prepare(db: Database.Database, where: string): Database.Statement<[Wanted], Row> {
  return db.prepare<[Wanted], Row>(`
    SELECT delivery.message_seq AS seq, delivery.record
    FROM delivery JOIN message ON message.seq = delivery.message_seq
    WHERE ${where} ORDER BY delivery.message_seq DESC LIMIT @limit`);
}
