/** Reads the log in pages, oldest first, and reports when unread entries were pruned. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type Database from "better-sqlite3";
import type { Alert } from "../../../core/delivery/record.ts";
import type { InboxNote } from "../../../core/inbox/inbox-note.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { LogEntry, LogFilter, LogItem, LogPage, LogQuery, LogType } from "../../../core/log/log-item.ts";
import { ledgerTypes } from "../../../core/log/log-item.ts";
import type { Message } from "../../../core/message/message.ts";
import type { Team } from "../../../core/team/team.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Deliveries } from "../deliveries.ts";
import { eventFrom, logCursor, logPosition } from "./log.ts";
import { trimEvents } from "./trim-log.ts";

type Row = {
  position: number;
  at: number;
  laneId: string | null;
  type: LogType;
  seq: number | null;
  deliverySeq: number | null;
  body: string | null;
  message: string | null;
  readAt: number | null;
};
type Wanted = { from: number; to: number; floor: number; limit: number; lane: string; types: string };

/** A page of large events is cut short, so that memory has room for many pages. */
const maxCharacters = 4 * 1024 * 1024;
/** How many positions are searched at a time, because few of them may match. */
const window = 5000;

export type LogReaderDeps = {
  /** The position of the newest durable item. */
  end: () => number;
  /** The number of a lane's newest event. */
  lastSeq: (laneId: string) => number;
  lane: (id: string) => Lane | null;
  team: (name: string) => Team | null;
  deliveries: Deliveries;
};

export function logReader(
  db: Database.Database,
  { end, lastSeq, lane: findLane, team: findTeam, deliveries }: LogReaderDeps,
) {
  const prepared = new Map<string, Database.Statement<[Wanted], Row>>();
  const floor = db.prepare<[], number>("SELECT log_floor FROM store_state").pluck();
  const restoredFloor = db.prepare<[], number>("SELECT coalesce(max(log_floor), 0) FROM restored").pluck();
  const trimmed = db.prepare<[], number>("SELECT coalesce(max(position), 0) FROM trimmed_lane").pluck();
  const trimmedIn = db.prepare<[string], number>("SELECT position FROM trimmed_lane WHERE lane_id = ?").pluck();
  const following = db.prepare<[number], number>("SELECT min(position) FROM log WHERE position > ?").pluck();
  const newest = db
    .prepare<[string, number, number], string>(
      "SELECT body FROM log WHERE lane_id = ? AND seq IS NOT NULL ORDER BY position DESC LIMIT ? OFFSET ?",
    )
    .pluck();
  const lastTurn = db
    .prepare<[string], string>(`
      SELECT type FROM log WHERE lane_id = ? AND seq IS NOT NULL AND type IN ('turn.started', 'turn.ended')
      ORDER BY position DESC LIMIT 1`)
    .pluck();

  const statementFor = ({ lane, types }: LogFilter) => {
    const ofTypes = types === undefined ? "" : "AND type IN (SELECT value FROM json_each(@types))";
    const sql = lane === undefined ? rowsOfAll(ofTypes) : rowsOfLane(ofTypes);
    const statement = prepared.get(sql) ?? db.prepare<[Wanted], Row>(sql);
    prepared.set(sql, statement);
    return statement;
  };

  /** Missing entries of the wanted types are at or below this position. */
  const lostUpTo = ({ lane, types }: LogFilter): number => {
    const wantsEvents = types === undefined || types.some((type) => !isLedgerType(type));
    const wantsLedger = types === undefined || types.some(isLedgerType);
    return Math.max(
      restoredFloor.get() ?? 0,
      wantsLedger ? (floor.get() ?? 0) : 0,
      wantsEvents ? ((lane === undefined ? trimmed.get() : trimmedIn.get(lane)) ?? 0) : 0,
    );
  };
  const beginning = (query: LogQuery): { position: number; knownLost: number; lost: boolean } => {
    const missing = lostUpTo(query);
    if (query.after === undefined) return { position: 0, knownLost: missing, lost: false };
    const from = logPosition(query.after);
    if (from === null || from.position > end()) return { position: 0, knownLost: missing, lost: true };
    const lost = missing > Math.max(from.position, from.knownLost);
    return { position: from.position, knownLost: missing, lost };
  };

  /** How far to search at a time. A lane has its own index, so nothing else is searched there. */
  const windowEnd = (position: number, lane: string | undefined): number =>
    lane === undefined ? (following.get(position) ?? end()) + window : end();

  /** Null if the subject no longer exists. */
  const entryFrom = (row: Row): LogEntry | null => {
    const { type, body } = row;
    switch (type) {
      case "message":
        if (row.message === null) return null;
        return { type, message: { ...(JSON.parse(row.message) as Message), readAt: row.readAt } };
      case "delivery": {
        const record = row.deliverySeq === null ? null : deliveries.byMessage(row.deliverySeq);
        return body === null || record === null ? null : { type, event: eventFrom(body), record };
      }
      case "alert":
        return body === null ? null : { type, alert: JSON.parse(body) as Alert };
      case "lane":
        return { type, lane: row.laneId === null ? null : findLane(row.laneId) };
      case "inbox":
        return body === null ? null : { type, ...(JSON.parse(body) as InboxNote) };
      case "team":
        return body === null ? null : { type, name: body, team: findTeam(body) };
      default:
        return body === null ? null : { type: "event", event: JSON.parse(body) as UniversalEvent, text: body };
    }
  };

  return {
    async page(query: LogQuery): Promise<LogPage> {
      const { limit, lane, types } = query;
      const { position: begun, knownLost, lost } = beginning(query);
      const statement = statementFor(query);
      const items: LogItem[] = [];
      let position = begun;
      for (let full = false; !full && items.length === 0 && position < end(); ) {
        if (position > begun) await nextTurn();
        const to = Math.min(end(), windowEnd(position, lane));
        let characters = 0;
        const wanted = { from: position, to, floor: floor.get() ?? 0, limit, lane: lane ?? "" };
        for (const row of statement.iterate({ ...wanted, types: JSON.stringify(types ?? []) })) {
          const entry = entryFrom(row);
          position = row.position;
          if (entry) items.push({ cursor: logCursor(position, knownLost), at: row.at, laneId: row.laneId, ...entry });
          characters += row.body?.length ?? 0;
          full = characters > maxCharacters || items.length === limit;
          if (full) break;
        }
        if (!full) position = to;
      }
      const cursor = logCursor(begun, knownLost);
      const reset = lost ? { type: "reset" as const, cursor, at: items[0]?.at ?? 0 } : null;
      return { reset, items, cursor: logCursor(position, knownLost) };
    },
    /** Newest first: events of a lane before the number `seq`, or the newest; at least one, and no more than fit. */
    eventsBefore(laneId: string, seq: number | null, limit: number, maxCharacters = Number.POSITIVE_INFINITY) {
      // Numbers have no gaps, so the distance to the last one gives the offset.
      const skipped = seq === null ? 0 : Math.max(0, lastSeq(laneId) - seq + 1);
      const events: UniversalEvent[] = [];
      let characters = 0;
      for (const body of newest.iterate(laneId, limit, skipped)) {
        characters += body.length;
        if (characters > maxCharacters && events.length > 0) break;
        events.push(JSON.parse(body) as UniversalEvent);
      }
      return events;
    },
    lanesInTurn: (): string[] =>
      trimEvents(db)
        .lanes()
        .filter((lane) => lastTurn.get(lane) === "turn.started"),
  };
}

function isLedgerType(type: LogType): boolean {
  return (ledgerTypes as readonly string[]).includes(type);
}

/** Entries at or below the floor that are only kept as the audit of a delivery are no longer returned. */
const rowsOfAll = (where: string) =>
  withMessages(`
    SELECT * FROM log
    WHERE position > @from AND position <= @to AND (seq IS NOT NULL OR position > @floor) ${where}
    ORDER BY position LIMIT @limit`);

/** Agent events have a separate index. */
const rowsOfLane = (where: string) =>
  withMessages(`
    SELECT * FROM log INDEXED BY log_of_agent
    WHERE lane_id = @lane AND position > @from AND position <= @to AND seq IS NOT NULL ${where}
    UNION ALL
    SELECT * FROM log INDEXED BY log_of_lane
    WHERE lane_id = @lane AND position > max(@from, @floor) AND position <= @to AND seq IS NULL ${where}
    ORDER BY position LIMIT @limit`);

function withMessages(rows: string): string {
  return `
  SELECT log.position, log.at, log.lane_id AS laneId, log.type, log.seq, log.delivery_seq AS deliverySeq, log.body,
    message.body AS message, message.read_at AS readAt
  FROM (${rows}) AS log LEFT JOIN message ON message.seq = log.message_seq
  ORDER BY log.position`;
}
