/** The feed: what happened, in the order in which it became durable, and the alerts in it. */
import type Database from "better-sqlite3";
import type { Alert } from "../../core/delivery/alert.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { recordFrom } from "../../core/delivery/record.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { FeedItem } from "../../core/log/feed-item.ts";
import type { Mail, Message } from "../../core/message/message.ts";
import { cursorFrom, seqOf } from "./cursor.ts";

type Row = {
  seq: number;
  at: number;
  laneId: string | null;
  type: "message" | "delivery" | "lane" | "alert";
  body: string | null;
  readAt: number | null;
  event: string | null;
  record: string | null;
  alert: string | null;
};

const select = (where: string) => `
  SELECT feed.seq, feed.at, feed.lane_id AS laneId, feed.type,
    message.body, message.read_at AS readAt, delivery_event.event, delivery.record, alert.body AS alert
  FROM feed
  LEFT JOIN message ON message.seq = feed.message_seq
  LEFT JOIN delivery ON delivery.id = feed.delivery_id
  LEFT JOIN delivery_event ON delivery_event.delivery_id = feed.delivery_id AND delivery_event.version = feed.version
  LEFT JOIN alert ON alert.id = feed.alert_id
  WHERE ${where} ORDER BY feed.seq LIMIT ?`;

export function feedStatements(db: Database.Database, lane: (id: string) => Lane | null) {
  const all = db.prepare<[number, number], Row>(select("feed.seq > ?"));
  const ofLane = db.prepare<[number, string, number], Row>(select("feed.seq > ? AND feed.lane_id = ?"));
  const ends = db.prepare<[], { oldest: number | null }>("SELECT min(seq) AS oldest FROM feed");
  // What was handed out last, also when its row has been pruned.
  const newest = db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'feed'");
  const addAlert = db.prepare<[string, string, number]>(
    "INSERT INTO alert (id, body, raised_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const newestSeq = () => newest.get()?.seq ?? 0;

  /** Null for what is not there any more. */
  const itemFrom = (row: Row): FeedItem | null => {
    const at = { cursor: cursorFrom(row.seq), at: row.at, laneId: row.laneId };
    switch (row.type) {
      case "message":
        if (row.body === null) return null;
        return {
          ...at,
          type: "message",
          message: { ...(JSON.parse(row.body) as Message), readAt: row.readAt } as Mail,
        };
      case "delivery":
        if (row.event === null || row.record === null) return null;
        return {
          ...at,
          type: "delivery",
          event: JSON.parse(row.event) as DeliveryEvent,
          record: recordFrom(row.record),
        };
      case "alert":
        return row.alert === null ? null : { ...at, type: "alert", alert: JSON.parse(row.alert) as Alert };
      case "lane":
        return { ...at, type: "lane", lane: row.laneId === null ? null : lane(row.laneId) };
      default:
        return row.type satisfies never;
    }
  };

  return {
    now: () => cursorFrom(newestSeq()),
    /** `cursor` is where the next call goes on, also when everything in between was somebody else's lane. */
    after(cursor: string, laneId: string | undefined, limit: number): { items: FeedItem[]; cursor: string } {
      const seq = seqOf(cursor);
      const reached = newestSeq();
      const oldest = ends.get()?.oldest ?? reached + 1;
      const lost = seq > reached || (seq < oldest - 1 && seq < reached);
      const from = lost ? oldest - 1 : seq;
      const rows = laneId === undefined ? all.all(from, limit) : ofLane.all(from, laneId, limit);
      const to = rows.length === limit ? (rows.at(-1)?.seq ?? reached) : reached;
      const items = rows.map(itemFrom).filter((item) => item !== null);
      const reset: FeedItem = { cursor: cursorFrom(from), at: rows[0]?.at ?? 0, laneId: null, type: "reset" };
      return { items: lost ? [reset, ...items] : items, cursor: cursorFrom(to) };
    },
    raise: (alert: Alert): boolean => addAlert.run(alert.id, JSON.stringify(alert), alert.raisedAt).changes === 1,
  };
}
