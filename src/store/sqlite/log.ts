/** The log: what happened, in the order in which it became durable. Of a delivery it is the audit. */
import type Database from "better-sqlite3";
import type { Alert } from "../../core/delivery/alert.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { storedRecord, upcast } from "../../core/delivery/record.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { FeedItem } from "../../core/log/feed-item.ts";
import type { Mail, Message } from "../../core/message/message.ts";
import { cursorFrom, seqOf } from "./cursor.ts";
import type { Deliveries } from "./deliveries.ts";

type Row = {
  seq: number;
  at: number;
  laneId: string | null;
  type: "message" | "delivery" | "lane" | "alert";
  body: string | null;
  readAt: number | null;
  event: string | null;
  deliverySeq: number | null;
  alert: string | null;
};

const select = (where: string) => `
  SELECT log.seq, log.at, log.lane_id AS laneId, log.type, log.event, log.delivery_seq AS deliverySeq,
    message.body, message.read_at AS readAt, alert.body AS alert
  FROM log
  LEFT JOIN message ON message.seq = log.message_seq
  LEFT JOIN alert ON alert.id = log.alert_id
  WHERE ${where} ORDER BY log.seq LIMIT ?`;

export type Log = ReturnType<typeof logStatements>;

export function logStatements(db: Database.Database, lane: (id: string) => Lane | null, deliveries: Deliveries) {
  const all = db.prepare<[number, number], Row>(select("log.seq > ?"));
  const ofLane = db.prepare<[number, string, number], Row>(select("log.seq > ? AND log.lane_id = ?"));
  const floor = db.prepare<[], number>("SELECT log_floor FROM store_state").pluck();
  // What was handed out last, also when its row has been pruned.
  const newest = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'log'").pluck();
  const ofDelivery = db
    .prepare<[number], string>("SELECT event FROM log WHERE delivery_seq = ? ORDER BY version")
    .pluck();
  const addMessage = db.prepare<[number, string | null, number]>(
    "INSERT INTO log (at, lane_id, type, message_seq) VALUES (?, ?, 'message', ?)",
  );
  const addDelivery = db.prepare<[number, string, number, number, string]>(
    "INSERT INTO log (at, lane_id, type, delivery_seq, version, event) VALUES (?, ?, 'delivery', ?, ?, ?)",
  );
  const addLane = db.prepare<[number, string]>("INSERT INTO log (at, lane_id, type) VALUES (?, ?, 'lane')");
  const addAlert = db.prepare<[number, string | null, string]>(
    "INSERT INTO log (at, lane_id, type, alert_id) VALUES (?, ?, 'alert', ?)",
  );
  const raise = db.prepare<[string, string, number]>(
    "INSERT INTO alert (id, body, raised_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const newestSeq = () => newest.get() ?? 0;

  /** Null for what is not there any more. */
  const itemFrom = (row: Row): FeedItem | null => {
    const at = { cursor: cursorFrom(row.seq), at: row.at, laneId: row.laneId };
    switch (row.type) {
      case "message": {
        if (row.body === null) return null;
        const message: Mail = { ...(JSON.parse(row.body) as Message), readAt: row.readAt };
        return { ...at, type: "message", message };
      }
      case "delivery": {
        const record = row.deliverySeq === null ? null : deliveries.byMessage(row.deliverySeq);
        if (row.event === null || record === null) return null;
        return { ...at, type: "delivery", event: eventFrom(row.event), record };
      }
      case "alert":
        return row.alert === null ? null : { ...at, type: "alert", alert: JSON.parse(row.alert) as Alert };
      case "lane":
        return { ...at, type: "lane", lane: row.laneId === null ? null : lane(row.laneId) };
      default:
        return row.type satisfies never;
    }
  };

  return {
    addMessage: (seq: number, { createdAt, laneId }: Message): void => void addMessage.run(createdAt, laneId, seq),
    /** One version for each event, up to `version`. */
    addEvents(deliverySeq: number, laneId: string, version: number, events: readonly DeliveryEvent[]): void {
      const first = version - events.length + 1;
      for (const [index, event] of events.entries()) {
        addDelivery.run(event.at, laneId, deliverySeq, first + index, eventText(event));
      }
    },
    addLane: (laneId: string, at: number): void => void addLane.run(at, laneId),
    /** False when it was raised before. */
    raise(alert: Alert): boolean {
      if (raise.run(alert.id, JSON.stringify(alert), alert.raisedAt).changes === 0) return false;
      addAlert.run(alert.raisedAt, alert.laneId, alert.id);
      return true;
    },
    history: (deliverySeq: number): DeliveryEvent[] => ofDelivery.all(deliverySeq).map(eventFrom),
    now: () => cursorFrom(newestSeq()),
    /** `cursor` is where the next call goes on, also when everything in between was somebody else's lane. */
    after(cursor: string, laneId: string | undefined, limit: number): { items: FeedItem[]; cursor: string } {
      const seq = seqOf(cursor);
      const reached = newestSeq();
      const lowest = floor.get() ?? 0;
      const lost = seq > reached || seq < lowest;
      const from = lost ? lowest : seq;
      const rows = laneId === undefined ? all.all(from, limit) : ofLane.all(from, laneId, limit);
      const to = rows.length === limit ? (rows.at(-1)?.seq ?? reached) : reached;
      const items = rows.map(itemFrom).filter((item) => item !== null);
      const reset: FeedItem = { cursor: cursorFrom(from), at: rows[0]?.at ?? 0, laneId: null, type: "reset" };
      return { items: lost ? [reset, ...items] : items, cursor: cursorFrom(to) };
    },
  };
}

/** The first event of a delivery holds its whole record. */
function eventText(event: DeliveryEvent): string {
  return JSON.stringify("record" in event ? { ...event, record: storedRecord(event.record) } : event);
}

export function eventFrom(text: string): DeliveryEvent {
  const event = JSON.parse(text) as DeliveryEvent;
  return "record" in event ? { ...event, record: upcast(event.record) } : event;
}
