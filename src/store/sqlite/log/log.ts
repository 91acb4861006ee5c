/**
 * Writes the log: everything that happened, in the order in which it was written. For a delivery it is the audit. Items
 * are published once they are durable; items that are not stored are published in order with them.
 */
import type Database from "better-sqlite3";
import type { DeliveryChange, DeliveryEvent } from "../../../core/delivery/delivery-event.ts";
import type { Alert } from "../../../core/delivery/record.ts";
import { storedRecord, upcast } from "../../../core/delivery/record.ts";
import type { InboxNote } from "../../../core/inbox/inbox-note.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { LogItem, NewEvent } from "../../../core/log/log-item.ts";
import type { Message } from "../../../core/message/message.ts";
import type { Team } from "../../../core/team/team.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { AppError } from "../../../platform/app-error.ts";
import { logCursor } from "./log-cursor.ts";
import { trimEvents } from "./trim-log.ts";

export type Log = ReturnType<typeof logWriter>;

export function logWriter(db: Database.Database) {
  // One statement for each kind of row, so that no nulls are bound.
  const addEvent = db.prepare<[number, number, string, string, number, string]>(
    "INSERT INTO log (position, at, lane_id, type, seq, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const addDelivery = db.prepare<[number, number, string, number, number, string]>(
    "INSERT INTO log (position, at, lane_id, type, delivery_seq, version, body) VALUES (?, ?, ?, 'delivery', ?, ?, ?)",
  );
  const addMessage = db.prepare<[number, number, string | null, number]>(
    "INSERT INTO log (position, at, lane_id, type, message_seq) VALUES (?, ?, ?, 'message', ?)",
  );
  const addOther = db.prepare<[number, number, string | null, string, string | null]>(
    "INSERT INTO log (position, at, lane_id, type, body) VALUES (?, ?, ?, ?, ?)",
  );
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
  /** Cached, because each event of a lane needs its last number. */
  const seqs = new Map<string, number>();
  const lastOf = (lane: string): number => {
    const last = seqs.get(lane) ?? lastSeq.get(lane) ?? 0;
    seqs.set(lane, last);
    return last;
  };

  const next = (): number => {
    end += 1;
    return end;
  };

  return {
    addMessage(messageSeq: number, message: Message): void {
      const { createdAt: at, laneId } = message;
      addMessage.run(next(), at, laneId, messageSeq);
      waiting.push({ cursor: logCursor(end), at, laneId, type: "message", message: { ...message, readAt: null } });
    },
    /** One version per event, up to the record's version. */
    addEvents(deliverySeq: number, change: DeliveryChange): void {
      const { record, events } = change;
      const { laneId } = record;
      let version = record.version - events.length;
      for (const event of events) {
        version += 1;
        addDelivery.run(next(), event.at, laneId, deliverySeq, version, eventText(event));
        const item = { cursor: logCursor(end), at: event.at, laneId, type: "delivery", event, record } as const;
        waiting.push(event === events.at(-1) ? { ...item, change } : item);
      }
    },
    addLane(lane: Lane | null, laneId: string, at: number): void {
      addOther.run(next(), at, laneId, "lane", null);
      waiting.push({ cursor: logCursor(end), at, laneId, type: "lane", lane });
    },
    addTeam(name: string, team: Team | null, at: number): void {
      addOther.run(next(), at, null, "team", name);
      waiting.push({ cursor: logCursor(end), at, laneId: null, type: "team", name, team });
    },
    addInbox(note: InboxNote, laneId: string | null, at: number): void {
      addOther.run(next(), at, laneId, "inbox", JSON.stringify(note));
      waiting.push({ cursor: logCursor(end), at, laneId, type: "inbox", ...note });
    },
    /** Publishes an item that is not stored. */
    pass: (item: LogItem): void => void waiting.push(item),
    /** False if it was raised before. */
    raise(alert: Alert): boolean {
      const { id, laneId, raisedAt: at } = alert;
      const body = JSON.stringify(alert);
      if (raise.run(id, body, at).changes === 0) return false;
      addOther.run(next(), at, laneId, "alert", body);
      waiting.push({ cursor: logCursor(end), at, laneId, type: "alert", alert });
      return true;
    },
    append(events: readonly NewEvent[], keep: number): void {
      const lanes = lastOfEach(events, lastOf);
      for (const { event, text, kept } of events) {
        const { lane: laneId, type, seq } = event;
        const at = Math.round(event.time);
        if (kept) addEvent.run(next(), at, laneId, type, seq, text);
        waiting.push({ cursor: kept ? logCursor(end) : null, at, laneId, type: "event", event, text });
      }
      // Lets a tenth more accumulate, so that not every event removes one.
      const allowed = keep + Math.floor(keep / 10);
      for (const [lane, seq] of lanes) {
        seqs.set(lane, seq);
        if (seq > allowed) trim.toCount(lane, { last: seq, allowed, keep });
      }
    },
    lastSeq: lastOf,
    history: (deliverySeq: number): DeliveryEvent[] => ofDelivery.all(deliverySeq).map(eventFrom),

    /** The position of the newest durable item. */
    end: (): number => durableEnd,
    hasNews: (): boolean => waiting.length > 0,
    /** The items that became durable, or were passed, since the last call. */
    committed(): LogItem[] {
      durableEnd = end;
      const items = waiting;
      waiting = [];
      return items;
    },
    mark: (): number => waiting.length,
    /** Drops the items since the mark, after their writes were rolled back. */
    undo(mark: number): void {
      waiting = waiting.filter((item, place) => place < mark || isPassed(item));
      seqs.clear();
      if (mark === 0) end = durableEnd;
    },
  };
}

/** It belongs to no write, so it is published even if the writes around it fail. */
function isPassed({ cursor, type }: LogItem): boolean {
  return cursor === null && type !== "event";
}

/** The last position that was assigned. */
export function endOfLog(db: Database.Database): number {
  const sql = "SELECT max(coalesce((SELECT max(position) FROM log), 0), log_end) FROM store_state";
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

/**
 * The new last number of each lane. Throws before anything is written if an event does not follow the one before it.
 */
function lastOfEach(events: readonly NewEvent[], lastSeq: (lane: string) => number): Map<string, number> {
  const lanes = new Map<string, number>();
  for (const { event, kept } of events) {
    if (!kept) continue;
    const before = lanes.get(event.lane) ?? lastSeq(event.lane);
    if (event.seq !== before + 1) throw outOfOrder(event, before);
    lanes.set(event.lane, event.seq);
  }
  return lanes;
}

function outOfOrder({ lane, seq }: UniversalEvent, last: number): AppError {
  return new AppError({
    code: "events_out_of_order",
    message: `Event ${seq} of lane "${lane}" does not follow ${last}.`,
  });
}

/** The first event of a delivery contains its whole record. */
function eventText(event: DeliveryEvent): string {
  return JSON.stringify("record" in event ? { ...event, record: storedRecord(event.record) } : event);
}

export function eventFrom(text: string): DeliveryEvent {
  const event = JSON.parse(text) as DeliveryEvent;
  return "record" in event ? { ...event, record: upcast(event.record) } : event;
}
