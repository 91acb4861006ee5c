/** The log of universal events. Only the oldest of a lane are ever removed, and whoever missed them is told. */

import type Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import type { EventFilter, EventPage, LoggedEvent, StoredEvent } from "../../core/log/event-page.ts";
import type { EventType, UniversalEvent } from "../../core/turn/universal-event.ts";

type Row = { position: number; body: string };

/** A page of large events is cut short, so that it fits into memory many times over. */
const maxCharacters = 4 * 1024 * 1024;

export function eventStatements(db: Database.Database) {
  const trim = eventTrimming(db);
  const all = db.prepare<[number, number], Row>(
    "SELECT position, body FROM event WHERE position > ? ORDER BY position LIMIT ?",
  );
  const ofLane = db.prepare<[string, number, number], Row>(
    "SELECT position, body FROM event WHERE lane_id = ? AND position > ? ORDER BY position LIMIT ?",
  );
  const newest = db.prepare<[string, number, number], { body: string }>(
    "SELECT body FROM event WHERE lane_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
  );
  const reached = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'event'").pluck();
  const lost = db.prepare<[], number>("SELECT max(lost_position) FROM event_lane").pluck();
  const lostOf = db.prepare<[string], number>("SELECT lost_position FROM event_lane WHERE lane_id = ?").pluck();
  const floor = db.prepare<[], number>("SELECT coalesce(max(event_floor), 0) FROM restored").pluck();
  const lastSeq = db.prepare<[string], number>("SELECT last_seq FROM event_lane WHERE lane_id = ?").pluck();
  const inTurn = db.prepare<[], string>("SELECT lane_id FROM event_lane WHERE in_turn = 1 ORDER BY lane_id").pluck();
  const insert = db.prepare<[string, number, number, string]>(
    "INSERT INTO event (lane_id, seq, at, body) VALUES (?, ?, ?, ?)",
  );
  const count = db.prepare<{ lane: string; seq: number; inTurn: number | null }>(`
    INSERT INTO event_lane (lane_id, first_seq, last_seq, in_turn) VALUES (@lane, 1, @seq, coalesce(@inTurn, 0))
    ON CONFLICT (lane_id) DO UPDATE SET last_seq = @seq, in_turn = coalesce(@inTurn, in_turn)`);

  const end = () => reached.get() ?? 0;
  const last = (laneId: string) => lastSeq.get(laneId) ?? 0;
  const lostUpTo = (laneId: string | undefined) =>
    Math.max(floor.get() ?? 0, (laneId === undefined ? lost.get() : lostOf.get(laneId)) ?? 0);
  /** Where to read from, and whether something between there and the cursor is missing. */
  const beginning = (cursor: string | undefined, missing: number): EventPosition & { reset: boolean } => {
    if (cursor === undefined) return { position: 0, knownLost: missing, reset: false };
    const from = eventPosition(cursor);
    if (from.position > end()) return { position: 0, knownLost: missing, reset: true };
    return { position: from.position, knownLost: missing, reset: missing > Math.max(from.position, from.knownLost) };
  };

  return {
    end: () => eventCursor({ position: end(), knownLost: 0 }),
    last,
    lanesInTurn: (): string[] => inTurn.all(),
    append(events: readonly LoggedEvent[], keep: number): string[] {
      const lanes = lastOfEach(events, last);
      const cursors = events.map(({ event, text }) => {
        const { lastInsertRowid } = insert.run(event.lane, event.seq, Math.round(event.time), text);
        return eventCursor({ position: Number(lastInsertRowid), knownLost: 0 });
      });
      for (const [lane, { seq, inTurn }] of lanes) {
        count.run({ lane, seq, inTurn });
        trim.toCount(lane, keep);
      }
      return cursors;
    },
    page({ after, lane, limit }: EventFilter): EventPage {
      const { position, knownLost, reset } = beginning(after, lostUpTo(lane));
      const ended = end();
      const rows = lane === undefined ? all.iterate(position, limit) : ofLane.iterate(lane, position, limit);
      const events: StoredEvent[] = [];
      let characters = 0;
      let cut = false;
      for (const { position, body } of rows) {
        const event = JSON.parse(body) as UniversalEvent;
        events.push({ cursor: eventCursor({ position, knownLost }), event, text: body });
        characters += body.length;
        cut = characters > maxCharacters || events.length === limit;
        if (cut) break;
      }
      const begun = eventCursor({ position, knownLost });
      const cursor = cut ? (events.at(-1)?.cursor ?? begun) : eventCursor({ position: ended, knownLost });
      return { reset: reset ? begun : null, events, cursor };
    },
    before: (laneId: string, seq: number | null, limit: number): UniversalEvent[] =>
      newest.all(laneId, seq ?? Number.MAX_SAFE_INTEGER, limit).map(({ body }) => JSON.parse(body) as UniversalEvent),
  };
}

/** Where each lane comes to. Nothing is written when an event does not follow the one before it. */
function lastOfEach(events: readonly LoggedEvent[], lastSeq: (lane: string) => number) {
  const lanes = new Map<string, { seq: number; inTurn: number | null }>();
  for (const { event } of events) {
    const { lane, seq, type } = event;
    const before = lanes.get(lane) ?? { seq: lastSeq(lane), inTurn: null };
    if (seq !== before.seq + 1) throw outOfOrder(lane, seq, before.seq);
    lanes.set(lane, { seq, inTurn: turnAfter(type) ?? before.inTurn });
  }
  return lanes;
}

function turnAfter(type: EventType): number | null {
  if (type === "turn.started") return 1;
  return type === "turn.ended" ? 0 : null;
}

function outOfOrder(lane: string, seq: number, last: number): AppError {
  return new AppError({
    code: "events_out_of_order",
    message: `Event ${seq} of the lane "${lane}" does not follow ${last}.`,
  });
}

type EventPosition = { position: number; knownLost: number };

function eventCursor({ position, knownLost }: EventPosition): string {
  return Buffer.from(knownLost > position ? `e1.${position}.${knownLost}` : `e1.${position}`).toString("base64url");
}

function eventPosition(cursor: string): EventPosition {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, position, knownLost = "0"] = /^e1\.(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (position !== undefined) return { position: Number(position), knownLost: Number(knownLost) };
  throw new AppError({
    code: "cursor_invalid",
    message: "The cursor is not one of the events.",
    hint: "Use one from an earlier answer of the same stream as it is, or none.",
  });
}

/** However old they are: enough to show how the last turn ended, and to count turns on from. */
const alwaysKept = 100;

export function eventTrimming(db: Database.Database) {
  const bounds = db.prepare<[string], { first: number; last: number }>(
    "SELECT first_seq AS first, last_seq AS last FROM event_lane WHERE lane_id = ?",
  );
  const lanes = db.prepare<[], string>("SELECT lane_id FROM event_lane").pluck();
  const positionOf = db
    .prepare<[string, number], number>("SELECT position FROM event WHERE lane_id = ? AND seq = ?")
    .pluck();
  const firstYoung = db
    .prepare<[string, number], number>(
      "SELECT seq FROM event WHERE lane_id = ? AND at >= ? ORDER BY lane_id, seq LIMIT 1",
    )
    .pluck();
  const remove = db.prepare<[string, number]>("DELETE FROM event WHERE lane_id = ? AND seq <= ?");
  const forget = db.prepare<[number, number, string]>(
    "UPDATE event_lane SET first_seq = ?, lost_position = max(lost_position, ?) WHERE lane_id = ?",
  );

  /** Everything up to this number. */
  const upTo = (lane: string, seq: number): number => {
    const position = positionOf.get(lane, seq);
    if (position === undefined) return 0;
    const { changes } = remove.run(lane, seq);
    forget.run(seq + 1, position, lane);
    return changes;
  };

  return {
    /** A tenth more is let come together, so that not every event removes one. */
    toCount(lane: string, keep: number): void {
      const { first, last } = bounds.get(lane) ?? { first: 1, last: 0 };
      if (last - first + 1 > keep + Math.floor(keep / 10)) upTo(lane, last - keep);
    },
    byAge(before: number): void {
      for (const lane of lanes.all()) {
        const { first, last } = bounds.get(lane) ?? { first: 1, last: 0 };
        const maxSeq = last - alwaysKept;
        if (maxSeq < first) continue;
        const young = firstYoung.get(lane, before) ?? Number.MAX_SAFE_INTEGER;
        upTo(lane, Math.min(young - 1, maxSeq));
      }
    },
  };
}
