/**
 * Writes the log: what happened, in the order in which it was written. Of a delivery it is the audit. What was written is
 * handed to those who follow once it is durable; what is not kept passes by in its order.
 */
import type Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import type { Alert } from "../../core/delivery/alert.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { storedRecord, upcast } from "../../core/delivery/record.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { LogEntry, LoggedEvent, LogItem } from "../../core/log/log-item.ts";
import type { Message } from "../../core/message/message.ts";
import { isKept } from "../../core/turn/bounded-event.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { logCursor } from "./log-cursor.ts";
import { trimEvents } from "./trim-log.ts";

type Columns = {
  position: number;
  at: number;
  laneId: string | null;
  type: string;
  seq: number | null;
  messageSeq: number | null;
  deliverySeq: number | null;
  version: number | null;
  body: string | null;
};

export type Log = ReturnType<typeof logWriter>;

export function logWriter(db: Database.Database) {
  const insert = db.prepare<Columns[keyof Columns][]>(`
    INSERT INTO log (position, at, lane_id, type, seq, message_seq, delivery_seq, version, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const raise = db.prepare<[string, string, number]>(
    "INSERT INTO alert (id, body, raised_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const ofDelivery = db
    .prepare<[number], string>("SELECT body FROM log WHERE delivery_seq = ? ORDER BY version")
    .pluck();
  const lastSeq = db
    .prepare<[string], number>(
      "SELECT seq FROM log WHERE lane_id = ? AND seq IS NOT NULL ORDER BY position DESC LIMIT 1",
    )
    .pluck();
  const trim = trimEvents(db);

  let end = endOfLog(db);
  let durableEnd = end;
  let waiting: LogItem[] = [];
  /** A lane that speaks is asked for at each of its events. */
  const seqs = new Map<string, number>();
  const lastOf = (lane: string): number => {
    const last = seqs.get(lane) ?? lastSeq.get(lane) ?? 0;
    seqs.set(lane, last);
    return last;
  };

  const none = { seq: null, messageSeq: null, deliverySeq: null, version: null, body: null };
  const add = (at: number, laneId: string | null, entry: LogEntry, columns: Partial<Columns> & { type: string }) => {
    end += 1;
    const { type, seq, messageSeq, deliverySeq, version, body } = { ...none, ...columns };
    insert.run(end, at, laneId, type, seq, messageSeq, deliverySeq, version, body);
    waiting.push({ cursor: logCursor(end), at, laneId, ...entry });
  };

  return {
    addMessage(messageSeq: number, message: Message): void {
      const entry = { type: "message", message: { ...message, readAt: null } } as const;
      add(message.createdAt, message.laneId, entry, { type: "message", messageSeq });
    },
    /** One version for each event, up to the record's. */
    addEvents(deliverySeq: number, record: DeliveryRecord, events: readonly DeliveryEvent[]): void {
      let version = record.version - events.length;
      for (const event of events) {
        version += 1;
        const columns = { type: "delivery", deliverySeq, version, body: eventText(event) };
        add(event.at, record.laneId, { type: "delivery", event, record }, columns);
      }
    },
    addLane: (lane: Lane | null, laneId: string, at: number): void =>
      add(at, laneId, { type: "lane", lane }, { type: "lane" }),
    /** False when it was raised before. */
    raise(alert: Alert): boolean {
      const body = JSON.stringify(alert);
      if (raise.run(alert.id, body, alert.raisedAt).changes === 0) return false;
      add(alert.raisedAt, alert.laneId, { type: "alert", alert }, { type: "alert", body });
      return true;
    },
    append(events: readonly LoggedEvent[], keep: number): void {
      const lanes = lastOfEach(events, lastOf);
      for (const { event, text } of events) {
        const [at, laneId] = [Math.round(event.time), event.lane];
        const entry = { type: "event", event, text } as const;
        if (!isKept(event)) waiting.push({ cursor: null, at, laneId, ...entry });
        else add(at, laneId, entry, { type: event.type, seq: event.seq, body: text });
      }
      // A tenth more is let come together, so that not every event removes one.
      const allowed = keep + Math.floor(keep / 10);
      for (const [lane, seq] of lanes) {
        seqs.set(lane, seq);
        if (seq > allowed) trim.toCount(lane, { last: seq, allowed, keep });
      }
    },
    lastSeq: lastOf,
    history: (deliverySeq: number): DeliveryEvent[] => ofDelivery.all(deliverySeq).map(eventFrom),

    /** The position of the newest item that is durable. */
    end: (): number => durableEnd,
    /** What has become durable, or passes by, since the last time. */
    committed(): LogItem[] {
      durableEnd = end;
      const items = waiting;
      waiting = [];
      return items;
    },
    mark: (): number => waiting.length,
    /** What was written since the mark was taken back. */
    undo(mark: number): void {
      waiting.length = mark;
      seqs.clear();
      if (mark === 0) end = durableEnd;
    },
  };
}

/** The last position that was given out. */
export function endOfLog(db: Database.Database): number {
  const sql = "SELECT max(coalesce((SELECT max(position) FROM log), 0), log_end) FROM store_state";
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

/** Where each lane comes to. Throws when an event does not follow the one before it, and then nothing was written. */
function lastOfEach(events: readonly LoggedEvent[], lastSeq: (lane: string) => number): Map<string, number> {
  const lanes = new Map<string, number>();
  for (const { event } of events) {
    if (!isKept(event)) continue;
    const before = lanes.get(event.lane) ?? lastSeq(event.lane);
    if (event.seq !== before + 1) throw outOfOrder(event, before);
    lanes.set(event.lane, event.seq);
  }
  return lanes;
}

function outOfOrder({ lane, seq }: UniversalEvent, last: number): AppError {
  return new AppError({
    code: "events_out_of_order",
    message: `Event ${seq} of the lane "${lane}" does not follow ${last}.`,
  });
}

/** The first event of a delivery holds its whole record. */
function eventText(event: DeliveryEvent): string {
  return JSON.stringify("record" in event ? { ...event, record: storedRecord(event.record) } : event);
}

export function eventFrom(text: string): DeliveryEvent {
  const event = JSON.parse(text) as DeliveryEvent;
  return "record" in event ? { ...event, record: upcast(event.record) } : event;
}
