/** Deliveries by lane, message and status, newest first. Each combination of filters is a statement of its own. */
import type Database from "better-sqlite3";
import type { DeliveryFilter } from "../port.ts";
import { seqOf } from "./cursor.ts";

type Row = { seq: number; record: string };
type Wanted = { before: number; limit: number; lane: string; message: string; statuses: string };

export function deliveryPages(db: Database.Database): (filter: DeliveryFilter) => Row[] {
  const prepared = new Map<string, Database.Statement<[Wanted], Row>>();

  return ({ laneId, messageId, statuses, limit, cursor }) => {
    const where = [
      ...(laneId === undefined ? [] : ["delivery.lane_id = @lane"]),
      ...(messageId === undefined ? [] : ["message.id = @message"]),
      ...(statuses === undefined ? [] : ["delivery.status IN (SELECT value FROM json_each(@statuses))"]),
      "delivery.message_seq < @before",
    ].join(" AND ");
    const statement = prepared.get(where) ?? prepare(db, where);
    prepared.set(where, statement);
    return statement.all({
      before: cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor),
      limit,
      lane: laneId ?? "",
      message: messageId ?? "",
      statuses: JSON.stringify(statuses ?? []),
    });
  };
}

function prepare(db: Database.Database, where: string): Database.Statement<[Wanted], Row> {
  return db.prepare<[Wanted], Row>(`
    SELECT delivery.message_seq AS seq, delivery.record
    FROM delivery JOIN message ON message.seq = delivery.message_seq
    WHERE ${where} ORDER BY delivery.message_seq DESC LIMIT @limit`);
}
