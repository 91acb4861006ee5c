/** Checking, pruning and copying a store. */

import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { messageOf } from "../../app-error.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { recordFrom } from "../../core/delivery/record.ts";
import { brokenRules } from "../../core/delivery/record-rules.ts";
import { fold } from "../../core/delivery/transition.ts";
import type { Finding, Store } from "../port.ts";
import type { DeliveryColumns } from "./deliveries.ts";
import { columnsOf } from "./deliveries.ts";
import { eventTrimming } from "./events.ts";
import { eventFrom } from "./log.ts";

/** The file's own integrity, every rule of every record, and that each record is what its audit amounts to. */
export function checkStore(db: Database.Database): Finding[] {
  const findings = checkFile(db);
  return findings.length > 0 ? findings : checkRecords(db, `${selectRows} ORDER BY message_seq`);
}

/** What a start goes on with: the same for records of open deliveries, as many as there is time for. */
export function checkOpenDeliveries(db: Database.Database, deadline: number): Finding[] {
  const open = `
    ${selectRows} INDEXED BY one_outstanding_a_lane WHERE outstanding
    UNION ALL ${selectRows} INDEXED BY delivery_owed WHERE owed AND NOT outstanding
    UNION ALL ${selectRows} INDEXED BY delivery_waiting WHERE status = 'pending'`;
  return checkRecords(db, open, deadline);
}

function checkRecords(db: Database.Database, query: string, deadline = Number.POSITIVE_INFINITY): Finding[] {
  const findings: Finding[] = [];
  const events = db.prepare<[number], string>("SELECT event FROM log WHERE delivery_seq = ? ORDER BY version").pluck();
  for (const row of db.prepare<[], Row>(query).iterate()) {
    if (performance.now() > deadline) break;
    const problems = recordProblems(row, () => events.all(row.seq));
    findings.push(...problems.map((problem) => ({ subject: `delivery ${row.id}`, problem })));
  }
  return findings;
}

function recordProblems(row: Row, audit: () => readonly string[]): string[] {
  try {
    const record = recordFrom(row.record);
    const problem = auditProblem(record, audit().map(eventFrom));
    return [
      ...brokenRules(record).map((rule) => `does not hold: ${rule}`),
      ...(fitsColumns(record, row) ? [] : ["differs from the columns beside it"]),
      ...(problem ? [problem] : []),
    ];
  } catch (error) {
    if (error instanceof Database.SqliteError) throw error;
    return [`cannot be read: ${messageOf(error)}`];
  }
}

export function checkFile(db: Database.Database, quick = false): Finding[] {
  const integrity = db.pragma(quick ? "quick_check" : "integrity_check") as Record<string, string>[];
  const broken = integrity.flatMap((row) => Object.values(row)).filter((line) => line !== "ok");
  const dangling = quick ? [] : (db.pragma("foreign_key_check") as { table: string; parent: string }[]);
  return [
    ...broken.map((problem) => ({ subject: "file", problem: onOneLine(problem) })),
    ...dangling.map((row) => ({ subject: row.table, problem: `refers to a missing row of ${row.parent}` })),
  ];
}

type Row = DeliveryColumns & { seq: number; id: string; laneId: string };

const selectRows = `
  SELECT message_seq AS seq, id, lane_id AS laneId, version, status, outstanding, owed,
    next_reconcile_at AS nextReconcileAt, failed_at AS failedAt, read_committed_at AS readCommittedAt, proof, attempts,
    max_attempts AS maxAttempts, updated_at AS updatedAt, team, record
  FROM delivery`;

function fitsColumns(record: DeliveryRecord, { seq: _, id, laneId, record: __, ...columns }: Row): boolean {
  const { record: ___, ...expected } = columnsOf(record);
  return record.id === id && record.laneId === laneId && isDeepStrictEqual(columns, expected);
}

/** SQLite says in a headline which of its databases it speaks of; there is one. */
function onOneLine(problem: string): string {
  return problem.replace(/^\*\*\* in database \w+ \*\*\*\n/, "").replaceAll("\n", "; ");
}

function auditProblem(record: DeliveryRecord, audit: readonly DeliveryEvent[]): string | null {
  try {
    return isDeepStrictEqual(fold(audit), record) ? null : "differs from what its audit amounts to";
  } catch (error) {
    return `has an audit that cannot be followed: ${messageOf(error)}`;
  }
}

/** Only ever its beginning, whatever the clock said in between: a gap in the middle would be told to nobody. */
function pruneLog(db: Database.Database, before: number): void {
  const firstYoung = "SELECT coalesce((SELECT min(seq) FROM log WHERE at >= ?), (SELECT max(seq) + 1 FROM log), 0)";
  const floor = (db.prepare<[number], number>(firstYoung).pluck().get(before) ?? 0) - 1;
  const raised = db.prepare<[number, number]>("UPDATE store_state SET log_floor = ? WHERE log_floor < ?");
  // The audit of a delivery stays as long as the delivery does.
  const remove = db.prepare<[number]>("DELETE FROM log WHERE seq <= ? AND delivery_seq IS NULL");
  if (raised.run(floor, floor).changes > 0) remove.run(floor);
}

/** What was used counts on its own day; the days before are kept for a while, for people. */
function pruneUsage(db: Database.Database, before: number): void {
  for (const table of ["usage", "lifted_limit"]) {
    db.prepare<[number]>(`DELETE FROM ${table} WHERE day < date(? / 1000, 'unixepoch', '-2 days')`).run(before);
  }
}

/** A record goes only when its message is read; a delivery that failed for good therefore stays until a person acts. */
export function pruneStore(db: Database.Database, before: Parameters<Store["prune"]>[0]): number {
  const pruned = db
    .prepare<{ responded: number; failed: number }>(`
      DELETE FROM delivery INDEXED BY delivery_ended
      WHERE NOT owed
        AND status IN ('responded', 'cancelled')
        AND updated_at < max(@responded, @failed)
        AND updated_at < CASE WHEN failed_at IS NULL THEN @responded ELSE @failed END
        AND (SELECT read_at FROM message WHERE message.seq = delivery.message_seq) IS NOT NULL`)
    .run({ responded: before.responded, failed: before.failed });
  pruneLog(db, before.feed);
  pruneUsage(db, before.responded);
  eventTrimming(db).byAge(before.events);
  return pruned.changes;
}
