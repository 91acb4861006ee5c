/**
 * Deliveries by id, message and lane. Active ones are cached in memory, so that a record just written is not read
 * again. The record of an active delivery is only in the log; once it rests, the whole record is written next to its
 * columns.
 */
import type Database from "better-sqlite3";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import { isOutstanding, isOwed, recordFrom, statuses, storedRecord } from "../../core/delivery/record.ts";
import { fold } from "../../core/delivery/transition.ts";
import type { Page } from "../../core/log/log-item.ts";
import type { Mail } from "../../core/message/message.ts";
import { addressKey } from "../../core/message/message.ts";
import type { DeliveryFilter, DueReconcile } from "../port.ts";
import { deliveryPages, hasEnded, hasWords, wordsIn } from "./delivery-pages.ts";
import { cursorFrom, eventFrom } from "./log/log.ts";

export type ColumnValue = string | number | null;

/** The columns that rules and queries need in addition to the record. */
export const deliveryColumns: readonly (readonly [name: string, read: (record: DeliveryRecord) => ColumnValue])[] = [
  ["version", ({ version }) => version],
  ["status", ({ status }) => status],
  ["outstanding", (record) => Number(isOutstanding(record))],
  ["owed", (record) => Number(isOwed(record))],
  ["next_reconcile_at", ({ nextReconcileAt }) => nextReconcileAt],
  ["failed_at", ({ failedAt }) => failedAt],
  ["read_committed_at", ({ readCommittedAt }) => readCommittedAt],
  ["proof", ({ proof }) => proof?.by ?? null],
  ["attempts", ({ attempts }) => attempts],
  ["max_attempts", ({ maxAttempts }) => maxAttempts],
  ["updated_at", ({ updatedAt }) => updatedAt],
  ["team", ({ team }) => team],
  ["held", ({ heldReason, status }) => Number(heldReason !== null && status === "pending")],
];
const names = [...deliveryColumns.map(([name]) => name), "record"];

/** In the order of `names`. */
function valuesOf(record: DeliveryRecord): ColumnValue[] {
  const values = deliveryColumns.map(([, read]) => read(record));
  values.push(isMoving(record) ? null : JSON.stringify(storedRecord(record)));
  return values;
}

function isMoving(record: DeliveryRecord): boolean {
  return record.status === "pending" || isOutstanding(record);
}

type Row = { seq: number; record: string | null };
type StatusCount = { status: Status; count: number };
type Known = { seq: number; record: DeliveryRecord };

/** Each is about a kilobyte; more rarely wait or move at a time. */
const maxKnown = 5000;

export type Deliveries = ReturnType<typeof deliveryStatements>;

export function deliveryStatements(db: Database.Database) {
  // A lane may have a long history and few waiting deliveries. Without this hint, the planner uses the index of all of
  // them.
  const waitingIn = "delivery INDEXED BY delivery_waiting WHERE lane_id = ? AND status = 'pending'";
  const select = (where: string) => `SELECT message_seq AS seq, record FROM delivery ${where}`;
  const byId = db.prepare<[string], Row>(select("WHERE id = ?"));
  const byMessage = db.prepare<[number], Row>(select("WHERE message_seq = ?"));
  // In this order, each message is found by its id, however many its lane has.
  const ofMessages = db.prepare<[string], Row>(`
    SELECT delivery.message_seq AS seq, delivery.record FROM json_each(?) AS wanted
    CROSS JOIN message ON message.id = wanted.value ->> 0 AND message.recipient = wanted.value ->> 1
    CROSS JOIN delivery ON delivery.message_seq = message.seq
    ORDER BY delivery.message_seq DESC`);
  const outstanding = db.prepare<[string], string>("SELECT id FROM delivery WHERE lane_id = ? AND outstanding").pluck();
  const head = db
    .prepare<[string], string>(`SELECT id FROM ${waitingIn} AND NOT held ORDER BY message_seq LIMIT 1`)
    .pluck();
  const held = db.prepare<[], Row>(select("INDEXED BY delivery_held WHERE held ORDER BY message_seq"));
  const owedIn = db.prepare<[string], Row>(
    select("INDEXED BY delivery_owed WHERE lane_id = ? AND owed AND NOT outstanding"),
  );
  const pendingIn = db.prepare<[string], Row>(
    `SELECT message_seq AS seq, record FROM ${waitingIn} ORDER BY message_seq`,
  );
  const isUsed = db.prepare<[string], number>("SELECT 1 FROM delivery WHERE lane_id = ? LIMIT 1").pluck();
  const waiting = db.prepare<[string], number>(`SELECT count(*) FROM ${waitingIn}`).pluck();
  const countsOfEnded = db.prepare<[], StatusCount>(
    `SELECT status, count(*) AS count FROM delivery WHERE ${hasEnded} GROUP BY status`,
  );
  const countsOfOpen = db.prepare<[], StatusCount>(`
    SELECT status, count(*) AS count FROM delivery WHERE outstanding AND NOT ${hasEnded} GROUP BY status
    UNION ALL SELECT 'pending', count(*) FROM delivery WHERE status = 'pending'`);
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
  // By position, because named parameters are looked up one by one.
  const insert = db.prepare<ColumnValue[]>(
    `INSERT INTO delivery (message_seq, id, lane_id, ${names.join(", ")}) VALUES (?, ?, ?, ${names.map(() => "?").join(", ")})`,
  );
  const update = db.prepare<ColumnValue[]>(
    `UPDATE delivery SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE message_seq = ? AND version = ?`,
  );
  const insertAttempt = db.prepare<[number, number, string]>(
    "INSERT INTO attempt (delivery_seq, number, runtime_message_id) VALUES (?, ?, ?)",
  );
  const audit = db.prepare<[number], string>("SELECT body FROM log WHERE delivery_seq = ? ORDER BY version").pluck();

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
    const record = recordOf(row);
    remember(row.seq, record);
    return { seq: row.seq, record };
  };
  const recordOf = ({ seq, record }: Row): DeliveryRecord =>
    record === null ? fold(audit.all(seq).map(eventFrom)) : recordFrom(record);
  const ofId = (id: string | null | undefined) => (id ? (find(id)?.record ?? null) : null);
  const many = (rows: Row[]): DeliveryRecord[] => rows.map(recordOf);
  const addAttempts = (seq: number, before: number, { attemptList }: DeliveryRecord) => {
    for (const { messageId, number } of attemptList.slice(before)) insertAttempt.run(seq, number, messageId);
  };

  /** Cached, because each step in a lane asks for its holder. */
  const holders = new Map<string, string | null>();
  const holder = (laneId: string): string | null => {
    const known = holders.get(laneId);
    if (known !== undefined) return known;
    const found = outstanding.get(laneId) ?? null;
    holders.set(laneId, found);
    return found;
  };
  const holds = (record: DeliveryRecord) => {
    if (isOutstanding(record)) holders.set(record.laneId, record.id);
    else if (holders.get(record.laneId) === record.id) holders.set(record.laneId, null);
  };

  const pageOf = (filter: DeliveryFilter): Page<DeliveryRecord> => {
    const rows = pages(filter);
    const last = rows.length === filter.limit ? rows.at(-1) : undefined;
    return { items: many(rows), next: last ? cursorFrom(last.seq) : null };
  };
  /** Continues if rows were filtered out: only active deliveries can be, and each lane has at most one. */
  const search = (filter: DeliveryFilter, words: readonly string[]): Page<DeliveryRecord> => {
    const items: DeliveryRecord[] = [];
    for (let { cursor } = filter; ; ) {
      const page = pageOf({ ...filter, cursor, limit: filter.limit - items.length });
      items.push(...page.items.filter((record) => hasWords(record, words)));
      if (page.next === null || items.length === filter.limit) return { items, next: page.next };
      cursor = page.next;
    }
  };

  return {
    find,
    byId: (id: string): DeliveryRecord | null => find(id)?.record ?? null,
    byMessage(seq: number): DeliveryRecord | null {
      const row = byMessage.get(seq);
      return row ? recordOf(row) : null;
    },
    holder,
    outstanding: (laneId: string) => ofId(holder(laneId)),
    head: (laneId: string) => ofId(head.get(laneId)),
    openIn(laneId: string): DeliveryRecord[] {
      const held = ofId(holder(laneId));
      return [...(held ? [held] : []), ...many([...owedIn.all(laneId), ...pendingIn.all(laneId)])];
    },
    held: (): DeliveryRecord[] => many(held.all()),
    /** Held deliveries that the lane's agent has sent. */
    heldFrom: (laneId: string): DeliveryRecord[] =>
      many(held.all()).filter(({ replyTo }) => replyTo?.kind === "lane" && replyTo.lane === laneId),
    isUsed: (laneId: string): boolean => isUsed.get(laneId) !== undefined,
    page(filter: DeliveryFilter): Page<DeliveryRecord> {
      return filter.query === undefined ? pageOf(filter) : search(filter, wordsIn(filter.query));
    },
    ofMessages(messages: readonly Pick<Mail, "id" | "recipient">[]): DeliveryRecord[] {
      const wanted = messages.filter(({ recipient }) => recipient.kind === "lane");
      return many(ofMessages.all(JSON.stringify(wanted.map(({ id, recipient }) => [id, addressKey(recipient)]))));
    },
    waiting: (laneId: string) => waiting.get(laneId) ?? 0,
    counts: () => {
      const all = [...countsOfEnded.all(), ...countsOfOpen.all()];
      const found = new Map(all.map((row) => [row.status, row.count]));
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
      insert.run(seq, record.id, record.laneId, ...valuesOf(record));
      addAttempts(seq, 0, record);
      remember(seq, record);
      holds(record);
    },
    /** Returns the number of its message. */
    change(before: DeliveryRecord, record: DeliveryRecord): number {
      const seq = find(record.id)?.seq ?? 0;
      const written = update.run(...valuesOf(record), seq, before.version);
      if (written.changes !== 1) throw new Error(`delivery ${record.id} was changed by another writer`);
      addAttempts(seq, before.attemptList.length, record);
      remember(seq, record);
      holds(record);
      return seq;
    },
    /** Call after a write was rolled back, or made by others. */
    forget(): void {
      known.clear();
      holders.clear();
    },
  };
}
