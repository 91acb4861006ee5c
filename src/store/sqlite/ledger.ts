/** The deliveries, their audit, and the rule that every change of a record is a transition. */
import Database from "better-sqlite3";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import { recordFrom, statuses } from "../../core/delivery/record.ts";
import { applyEvents } from "../../core/delivery/transition.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { Page } from "../../core/log/page.ts";
import type { Applied, DeliveryFilter, DueReconcile } from "../port.ts";
import { cursorFrom } from "./cursor.ts";
import { deliveryPages } from "./delivery-pages.ts";

type Row = { record: string };

export function ledgerStatements(db: Database.Database, lane: (id: string) => Lane | null) {
  const select = (where: string) => `SELECT record FROM delivery ${where}`;
  const byId = db.prepare<[string], Row>(select("WHERE id = ?"));
  const byMessage = db.prepare<[number], Row>(select("WHERE message_seq = ?"));
  const outstanding = db.prepare<[string], Row>(select("WHERE lane_id = ? AND outstanding"));
  const head = db.prepare<[string], Row>(
    select("WHERE lane_id = ? AND status = 'pending' ORDER BY message_seq LIMIT 1"),
  );
  const owedIn = db.prepare<[string], Row>(select("WHERE lane_id = ? AND owed AND NOT outstanding"));
  const pendingIn = db.prepare<[string], Row>(select("WHERE lane_id = ? AND status = 'pending' ORDER BY message_seq"));
  const waiting = db.prepare<[string], { count: number }>(
    "SELECT count(*) AS count FROM delivery WHERE lane_id = ? AND status = 'pending'",
  );
  const counts = db.prepare<[], { status: Status; count: number }>(
    "SELECT status, count(*) AS count FROM delivery GROUP BY status",
  );
  const failedWithoutAlert = db.prepare<[], Row>(
    select(`WHERE status = 'failed_terminal'
      AND NOT EXISTS (SELECT 1 FROM alert WHERE alert.id = 'failure:' || delivery.id || ':' || delivery.failed_at)`),
  );
  const pages = deliveryPages(db);
  const failedWithReply = db.prepare<[], Row>(`
    SELECT delivery.record FROM delivery
    JOIN message ON message.seq = delivery.message_seq
    WHERE delivery.status = 'failed_terminal'
      AND EXISTS (
        SELECT 1 FROM message AS reply
        WHERE reply.relay_of_message_id = message.id AND reply.from_lane = delivery.lane_id)
    ORDER BY delivery.message_seq`);
  const insert = db.prepare<[string, number, string, string]>(
    "INSERT INTO delivery (id, message_seq, lane_id, record) VALUES (?, ?, ?, ?)",
  );
  const update = db.prepare<[string, string, number]>("UPDATE delivery SET record = ? WHERE id = ? AND version = ?");
  const insertEvent = db.prepare<[string, number, number, string, string]>(
    "INSERT INTO delivery_event (delivery_id, version, at, type, event) VALUES (?, ?, ?, ?, ?)",
  );
  const insertAttempt = db.prepare<[string, string, number, string]>(
    "INSERT INTO attempt (runtime_message_id, delivery_id, number, session_id) VALUES (?, ?, ?, ?)",
  );
  const events = db.prepare<[string], { event: string }>(
    "SELECT event FROM delivery_event WHERE delivery_id = ? ORDER BY version",
  );
  const lanesWithWork = db.prepare<[], { laneId: string }>(`
    SELECT lane_id AS laneId FROM delivery WHERE outstanding
    UNION SELECT lane_id FROM delivery WHERE status = 'pending'`);
  const nextReconcileAt = db.prepare<[number], { at: number | null }>(
    "SELECT min(next_look_at) AS at FROM delivery WHERE next_look_at IS NOT NULL AND next_look_at > ?",
  );
  const due = db.prepare<[number, string, number], DueReconcile>(`
    SELECT id AS deliveryId, lane_id AS laneId, team FROM delivery
    WHERE next_look_at IS NOT NULL AND next_look_at <= ?
      AND (team IS NULL OR team NOT IN (SELECT value FROM json_each(?)))
    ORDER BY next_look_at LIMIT ?`);

  const one = (row: Row | undefined): DeliveryRecord | null => (row ? recordFrom(row.record) : null);
  const many = (rows: Row[]): DeliveryRecord[] => rows.map((row) => recordFrom(row.record));
  const audit = (id: string, version: number, event: DeliveryEvent) =>
    insertEvent.run(id, version, event.at, event.type, JSON.stringify(event));
  const addAttempts = (before: number, record: DeliveryRecord) => {
    for (const attempt of record.attemptList.slice(before)) {
      insertAttempt.run(attempt.messageId, record.id, attempt.number, attempt.sessionId);
    }
  };

  return {
    byId: (id: string) => one(byId.get(id)),
    byMessage: (seq: number) => one(byMessage.get(seq)),
    outstanding: (laneId: string) => one(outstanding.get(laneId)),
    head: (laneId: string) => one(head.get(laneId)),
    openIn: (laneId: string) => many([...outstanding.all(laneId), ...owedIn.all(laneId), ...pendingIn.all(laneId)]),
    page(filter: DeliveryFilter): Page<DeliveryRecord> {
      const rows = pages(filter);
      const last = rows.length === filter.limit ? rows.at(-1) : undefined;
      return { items: many(rows), next: last ? cursorFrom(last.seq) : null };
    },
    waiting: (laneId: string) => waiting.get(laneId)?.count ?? 0,
    counts: () => {
      const found = new Map(counts.all().map((row) => [row.status, row.count]));
      return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>;
    },
    failedWithoutAlert: () => many(failedWithoutAlert.all()),
    failedWithReply: () => many(failedWithReply.all()),
    history: (id: string) => events.all(id).map((row) => JSON.parse(row.event) as DeliveryEvent),
    lanesWithWork: () => lanesWithWork.all().map((row) => row.laneId),
    nextLookAt: (after: number) => nextReconcileAt.get(after)?.at ?? null,
    dueReconciles: (now: number, limit: number, exceptTeams: readonly string[]) =>
      due.all(now, JSON.stringify(exceptTeams), limit),

    begin(record: DeliveryRecord, messageSeq: number, type: "admitted" | "rebuilt"): void {
      insert.run(record.id, messageSeq, record.laneId, JSON.stringify(record));
      addAttempts(0, record);
      audit(record.id, record.version, { type, at: record.createdAt, record });
    },

    /** All events or none. Must run inside a savepoint. */
    apply(id: string, list: readonly DeliveryEvent[]): Applied {
      const before = one(byId.get(id));
      if (!before) return { outcome: "refused", reason: "delivery_unknown", record: null };
      const next = applyEvents(before, list, lane(before.laneId));
      if ("refused" in next) return { outcome: "refused", reason: next.reason, record: before };
      const { record, effects } = next;
      const written = update.run(JSON.stringify(record), id, before.version);
      if (written.changes !== 1) throw new Error(`delivery ${id} was changed by somebody else`);
      for (const [index, event] of list.entries()) audit(id, before.version + index + 1, event);
      addAttempts(before.attemptList.length, record);
      return { outcome: "applied", record, effects, before };
    },
  };
}

/** The unique index has said that another delivery holds the lane. */
export function isLaneHeld(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    error.code === "SQLITE_CONSTRAINT_UNIQUE" &&
    /delivery\.lane_id/.test(error.message)
  );
}
