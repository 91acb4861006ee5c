/**
 * Writes the log: everything that happened, in the order in which it was written. For a delivery it is the audit. Items
 * are published once they are durable; items that are not stored are published in order with them.
 *
 * Cursors of lists are sequence numbers, and those of the log positions. Clients must not calculate with them.
 */
import type Database from "better-sqlite3";
import type { DeliveryChange, DeliveryEvent } from "../../../core/delivery/delivery-event.ts";
import type { Alert } from "../../../core/delivery/record.ts";
import { storedRecord, upcast } from "../../../core/delivery/record.ts";
import type { LogItem, NewEvent } from "../../../core/log/log-item.ts";
import type { Message } from "../../../core/message/message.ts";
import type { OtherLogWrite } from "../../../core/plan/writes.ts";
import { AppError } from "../../../platform/app-error.ts";
import { trimEvents } from "./trim-log.ts";

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
  const isRaised = db.prepare<[string], number>("SELECT 1 FROM alert WHERE id = ?").pluck();
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
    addEvent({ event, text, kept }: NewEvent): void {
      const { lane: laneId, type, seq } = event;
      const at = Math.round(event.time);
      if (kept) {
        addEvent.run(next(), at, laneId, type, seq, text);
        seqs.set(laneId, seq);
      }
      waiting.push({ cursor: kept ? logCursor(end) : null, at, laneId, type: "event", event, text });
    },
    add(entry: OtherLogWrite): void {
      addOther.run(next(), entry.at, entry.laneId, entry.type, bodyOf(entry));
      waiting.push({ cursor: logCursor(end), ...entry });
    },
    /** Publishes an item that is not stored. */
    pass: (item: LogItem): void => void waiting.push(item),
    isRaised: (alertId: string): boolean => isRaised.get(alertId) === 1,
    saveAlert: (alert: Alert): void => void raise.run(alert.id, JSON.stringify(alert), alert.raisedAt),
    trim: trim.toCount,
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

/** Null for a lane, which is read when the entry is. */
function bodyOf(entry: OtherLogWrite): string | null {
  switch (entry.type) {
    case "lane":
      return null;
    case "team":
      return entry.name;
    case "alert":
      return JSON.stringify(entry.alert);
    case "inbox": {
      const { type: _, at: __, laneId: ___, ...note } = entry;
      return JSON.stringify(note);
    }
    default:
      return entry satisfies never;
  }
}

/** The first event of a delivery contains its whole record. */
function eventText(event: DeliveryEvent): string {
  return JSON.stringify("record" in event ? { ...event, record: storedRecord(event.record) } : event);
}

export function eventFrom(text: string): DeliveryEvent {
  const event = JSON.parse(text) as DeliveryEvent;
  return "record" in event ? { ...event, record: upcast(event.record) } : event;
}

export function cursorFrom(seq: number): string {
  return Buffer.from(`v1.${seq}`).toString("base64url");
}

export function seqOf(cursor: string): number {
  const [, digits] = /^v1\.(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new AppError({
      code: "cursor_invalid",
      message: "The cursor is invalid.",
      hint: "Use one from an earlier answer unchanged, or none.",
    });
  }
  return Number(digits);
}

/** `knownLost`: the reader knows that entries up to here may be missing. */
type LogPosition = { position: number; knownLost: number };

export function logCursor(position: number, knownLost = 0): string {
  return knownLost > position ? `${position}-${knownLost}` : String(position);
}

/** Null for a cursor of a version with several logs: what came after it is unknown. */
export function logPosition(cursor: string): LogPosition | null {
  const [, position, knownLost = "0"] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(cursor) ?? [];
  if (position !== undefined) return { position: Number(position), knownLost: Number(knownLost) };
  if (/^[ve]1\.\d/.test(Buffer.from(cursor, "base64url").toString("latin1"))) return null;
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor does not belong to the log.",
    hint: "Use one from an earlier answer unchanged, or none.",
  });
}
