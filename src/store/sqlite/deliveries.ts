/** Deliveries by id, message and lane. Those that move are kept in memory: what was just written is not read again. */
import type Database from "better-sqlite3";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import { isOutstanding, isOwed, recordFrom, statuses, storedRecord } from "../../core/delivery/record.ts";
import type { Page } from "../../core/log/page.ts";
import type { DeliveryFilter, DueReconcile } from "../port.ts";
import { cursorFrom } from "./cursor.ts";
import { deliveryPages } from "./delivery-pages.ts";

/** The record, and beside it what rules and queries need. */
export type DeliveryColumns = {
  version: number;
  status: string;
  outstanding: number;
  owed: number;
  nextReconcileAt: number | null;
  failedAt: number | null;
  readCommittedAt: number | null;
  proof: string | null;
  attempts: number;
  maxAttempts: number;
  updatedAt: number;
  team: string | null;
  record: string;
};

export function columnsOf(record: DeliveryRecord): DeliveryColumns {
  const { version, status, failedAt, readCommittedAt, attempts, maxAttempts, updatedAt, team } = record;
  return {
    version,
    status,
    outstanding: Number(isOutstanding(record)),
    owed: Number(isOwed(record)),
    nextReconcileAt: record.nextReconcileAt,
    failedAt,
    readCommittedAt,
    proof: record.proof?.by ?? null,
    attempts,
    maxAttempts,
    updatedAt,
    team,
    record: JSON.stringify(storedRecord(record)),
  };
}

type Row = { seq: number; record: string };
type Known = { seq: number; record: DeliveryRecord };

/** Each is some kilobytes; more lanes than that seldom move at a time. */
const maxKnown = 2000;

export type Deliveries = ReturnType<typeof deliveryStatements>;

export function deliveryStatements(db: Database.Database) {
  const select = (where: string) => `SELECT message_seq AS seq, record FROM delivery ${where}`;
  const byId = db.prepare<[string], Row>(select("WHERE id = ?"));
  const byMessage = db.prepare<[number], Row>(select("WHERE message_seq = ?"));
  const outstanding = db.prepare<[string], string>("SELECT id FROM delivery WHERE lane_id = ? AND outstanding").pluck();
  const head = db
    .prepare<[string], string>(
      "SELECT id FROM delivery WHERE lane_id = ? AND status = 'pending' ORDER BY message_seq LIMIT 1",
    )
    .pluck();
  const owedIn = db.prepare<[string], Row>(select("WHERE lane_id = ? AND owed AND NOT outstanding"));
  const pendingIn = db.prepare<[string], Row>(select("WHERE lane_id = ? AND status = 'pending' ORDER BY message_seq"));
  const isUsed = db.prepare<[string], number>("SELECT 1 FROM delivery WHERE lane_id = ? LIMIT 1").pluck();
  const waiting = db
    .prepare<[string], number>("SELECT count(*) FROM delivery WHERE lane_id = ? AND status = 'pending'")
    .pluck();
  const counts = db.prepare<[], { status: Status; count: number }>(
    "SELECT status, count(*) AS count FROM delivery GROUP BY status",
  );
  const failedWithoutAlert = db.prepare<[], Row>(
    select(`WHERE status = 'failed_terminal'
      AND NOT EXISTS (SELECT 1 FROM alert WHERE alert.id = 'failure:' || delivery.id || ':' || delivery.failed_at)`),
  );
  const pages = deliveryPages(db);
  const failedWithReply = db.prepare<[], Row>(`
    SELECT delivery.message_seq AS seq, delivery.record FROM delivery
    JOIN message ON message.seq = delivery.message_seq
    WHERE delivery.status = 'failed_terminal'
      AND EXISTS (
        SELECT 1 FROM message AS reply
        WHERE reply.relay_of_message_id = message.id AND reply.from_lane = delivery.lane_id)
    ORDER BY delivery.message_seq`);
  const lanesWithWork = db
    .prepare<[], string>(`
      SELECT lane_id FROM delivery WHERE outstanding
      UNION SELECT lane_id FROM delivery WHERE status = 'pending'`)
    .pluck();
  const nextReconcileAt = db
    .prepare<[number], number | null>(
      "SELECT min(next_reconcile_at) FROM delivery WHERE next_reconcile_at IS NOT NULL AND next_reconcile_at > ?",
    )
    .pluck();
  const scheduledAfter = db.prepare<[number], Row>(
    select("WHERE next_reconcile_at IS NOT NULL AND next_reconcile_at > ? AND status <> 'pending'"),
  );
  const due = db.prepare<[number, string, number], DueReconcile>(`
    SELECT id AS deliveryId, lane_id AS laneId, team FROM delivery
    WHERE next_reconcile_at IS NOT NULL AND next_reconcile_at <= ?
      AND (team IS NULL OR team NOT IN (SELECT value FROM json_each(?)))
    ORDER BY next_reconcile_at LIMIT ?`);
  const insert = db.prepare<DeliveryColumns & { seq: number; id: string; laneId: string }>(`
    INSERT INTO delivery (message_seq, id, lane_id, version, status, outstanding, owed, next_reconcile_at, failed_at,
      read_committed_at, proof, attempts, max_attempts, updated_at, team, record)
    VALUES (@seq, @id, @laneId, @version, @status, @outstanding, @owed, @nextReconcileAt, @failedAt,
      @readCommittedAt, @proof, @attempts, @maxAttempts, @updatedAt, @team, @record)`);
  const update = db.prepare<DeliveryColumns & { seq: number; versionBefore: number }>(`
    UPDATE delivery SET version = @version, status = @status, outstanding = @outstanding, owed = @owed,
      next_reconcile_at = @nextReconcileAt, failed_at = @failedAt, read_committed_at = @readCommittedAt, proof = @proof,
      attempts = @attempts, max_attempts = @maxAttempts, updated_at = @updatedAt, team = @team, record = @record
    WHERE message_seq = @seq AND version = @versionBefore`);
  const insertAttempt = db.prepare<[string, string, number, string]>(
    "INSERT INTO attempt (runtime_message_id, delivery_id, number, session_id) VALUES (?, ?, ?, ?)",
  );

  const known = new Map<string, Known>();
  const remember = (seq: number, record: DeliveryRecord) => {
    known.delete(record.id);
    known.set(record.id, { seq, record });
    if (known.size <= maxKnown) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  };
  const find = (id: string): Known | null => {
    const there = known.get(id);
    if (there) return there;
    const row = byId.get(id);
    if (!row) return null;
    const found = { seq: row.seq, record: recordFrom(row.record) };
    remember(found.seq, found.record);
    return found;
  };
  const ofId = (id: string | undefined) => (id === undefined ? null : (find(id)?.record ?? null));
  const many = (rows: Row[]): DeliveryRecord[] => rows.map((row) => recordFrom(row.record));
  const addAttempts = (before: number, { id, attemptList }: DeliveryRecord) => {
    for (const { messageId, number, sessionId } of attemptList.slice(before)) {
      insertAttempt.run(messageId, id, number, sessionId);
    }
  };

  return {
    find,
    byId: (id: string): DeliveryRecord | null => find(id)?.record ?? null,
    byMessage(seq: number): DeliveryRecord | null {
      const row = byMessage.get(seq);
      return row ? recordFrom(row.record) : null;
    },
    holder: (laneId: string): string | null => outstanding.get(laneId) ?? null,
    outstanding: (laneId: string) => ofId(outstanding.get(laneId)),
    head: (laneId: string) => ofId(head.get(laneId)),
    openIn(laneId: string): DeliveryRecord[] {
      const holder = ofId(outstanding.get(laneId));
      return [...(holder ? [holder] : []), ...many([...owedIn.all(laneId), ...pendingIn.all(laneId)])];
    },
    isUsed: (laneId: string): boolean => isUsed.get(laneId) !== undefined,
    page(filter: DeliveryFilter): Page<DeliveryRecord> {
      const rows = pages(filter);
      const last = rows.length === filter.limit ? rows.at(-1) : undefined;
      return { items: many(rows), next: last ? cursorFrom(last.seq) : null };
    },
    waiting: (laneId: string) => waiting.get(laneId) ?? 0,
    counts: () => {
      const found = new Map(counts.all().map((row) => [row.status, row.count]));
      return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>;
    },
    failedWithoutAlert: () => many(failedWithoutAlert.all()),
    failedWithReply: () => many(failedWithReply.all()),
    lanesWithWork: () => lanesWithWork.all(),
    nextReconcileAt: (after: number) => nextReconcileAt.get(after) ?? null,
    scheduledAfter: (time: number) => many(scheduledAfter.all(time)),
    dueReconciles: (now: number, limit: number, exceptTeams: readonly string[]) =>
      due.all(now, JSON.stringify(exceptTeams), limit),

    begin(record: DeliveryRecord, seq: number): void {
      insert.run({ ...columnsOf(record), seq, id: record.id, laneId: record.laneId });
      addAttempts(0, record);
    },
    /** Returns the number of its message. */
    change(before: DeliveryRecord, record: DeliveryRecord): number {
      const seq = find(record.id)?.seq ?? 0;
      const written = update.run({ ...columnsOf(record), seq, versionBefore: before.version });
      if (written.changes !== 1) throw new Error(`delivery ${record.id} was changed by somebody else`);
      addAttempts(before.attemptList.length, record);
      remember(seq, record);
      return seq;
    },
    /** To be called when something that was written has been taken back, or changed by others. */
    forget: () => known.clear(),
  };
}
