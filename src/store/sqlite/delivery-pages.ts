/** Deliveries by lane, message and status, newest first. Each combination of filters is a statement of its own. */
import type Database from "better-sqlite3";
import type { DeliveryFilter } from "../port.ts";
import { seqOf } from "./cursor.ts";

type Row = { seq: number; record: string };
type Wanted = { before: number; limit: number; lane: string; message: string; status: string };

export function deliveryPages(db: Database.Database): (filter: DeliveryFilter) => Row[] {
  const prepared = new Map<string, Database.Statement<[Wanted], Row>>();

  return ({ laneId, messageId, statuses, limit, cursor }) => {
    // Few messages have one id: the plus keeps SQLite from beginning with a lane or a status, which many have.
    const plus = messageId === undefined ? "" : "+";
    const where = [
      ...(laneId === undefined ? [] : [`${plus}delivery.lane_id = @lane`]),
      ...(messageId === undefined ? [] : ["message.id = @message"]),
      ...(statuses === undefined ? [] : [`${plus}delivery.status = @status`]),
      "delivery.message_seq < @before",
    ].join(" AND ");
    const statement = prepared.get(where) ?? prepare(db, where);
    prepared.set(where, statement);
    const wanted = {
      before: cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor),
      limit,
      lane: laneId ?? "",
      message: messageId ?? "",
    };
    if (statuses === undefined) return statement.all({ ...wanted, status: "" });
    // One status is read in order and no further than wanted; several at once would all be read and sorted.
    return [...new Set(statuses)]
      .flatMap((status) => statement.all({ ...wanted, status }))
      .sort((one, other) => other.seq - one.seq)
      .slice(0, limit);
  };
}

function prepare(db: Database.Database, where: string): Database.Statement<[Wanted], Row> {
  return db.prepare<[Wanted], Row>(`
    SELECT delivery.message_seq AS seq, delivery.record
    FROM delivery JOIN message ON message.seq = delivery.message_seq
    WHERE ${where} ORDER BY delivery.message_seq DESC LIMIT @limit`);
}
