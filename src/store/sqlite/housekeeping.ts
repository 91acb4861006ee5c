/** Checking and pruning a store. */

import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { recordFrom } from "../../core/delivery/record.ts";
import { brokenRules } from "../../core/delivery/record-rules.ts";
import { fold } from "../../core/delivery/transition.ts";
import { dayOf } from "../../core/lane/lane.ts";
import { messageOf } from "../../platform/app-error.ts";
import type { Finding, PruneTimes } from "../port.ts";
import type { ColumnValue } from "./deliveries.ts";
import { deliveryColumns } from "./deliveries.ts";
import { endOfLog, eventFrom } from "./log/log.ts";
import { trimEvents, trimLedger } from "./log/trim-log.ts";
import { pruneTransports } from "./transports.ts";

/** Checks the file's integrity, every rule of every record, and that each record matches its audit. */
export function checkStore(db: Database.Database): Finding[] {
  const findings = checkFile(db);
  return findings.length > 0 ? findings : checkRecords(db, `${selectRows} ORDER BY message_seq`);
}

/** The same checks for open deliveries, which a start continues with, until the deadline. */
export function checkOpenDeliveries(db: Database.Database, deadline: number): Finding[] {
  const open = `
    ${selectRows} INDEXED BY one_outstanding_a_lane WHERE outstanding
    UNION ALL ${selectRows} INDEXED BY delivery_owed WHERE owed AND NOT outstanding
    UNION ALL ${selectRows} INDEXED BY delivery_waiting WHERE status = 'pending'`;
  return checkRecords(db, open, deadline);
}

function checkRecords(db: Database.Database, query: string, deadline = Number.POSITIVE_INFINITY): Finding[] {
  const findings: Finding[] = [];
  const events = db.prepare<[number], string>("SELECT body FROM log WHERE delivery_seq = ? ORDER BY version").pluck();
  for (const row of db.prepare<[], Row>(query).iterate()) {
    if (performance.now() > deadline) break;
    const problems = recordProblems(row, () => events.all(row.seq));
    findings.push(...problems.map((problem) => ({ subject: `delivery ${row.id}`, problem })));
  }
  return findings;
}

function recordProblems(row: Row, audit: () => readonly string[]): string[] {
  try {
    const events = audit().map(eventFrom);
    // The record of an active delivery is the fold of its audit.
    const record = row.record === null ? fold(events) : recordFrom(row.record);
    const problem = row.record === null ? null : auditProblem(record, events);
    return [
      ...brokenRules(record).map((rule) => `does not hold: ${rule}`),
      ...(fitsColumns(record, row) ? [] : ["differs from its columns"]),
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

type Row = Record<string, ColumnValue> & { seq: number; id: string; lane_id: string; record: string | null };

const selectRows = `
  SELECT message_seq AS seq, id, lane_id, record, ${deliveryColumns.map(([name]) => name).join(", ")} FROM delivery`;

function fitsColumns(record: DeliveryRecord, row: Row): boolean {
  const isItsOwn = record.id === row.id && record.laneId === row.lane_id;
  return isItsOwn && deliveryColumns.every(([name, read]) => read(record) === row[name]);
}

/** SQLite names its database in a headline; there is only one. */
function onOneLine(problem: string): string {
  return problem.replace(/^\*\*\* in database \w+ \*\*\*\n/, "").replaceAll("\n", "; ");
}

function auditProblem(record: DeliveryRecord, audit: readonly DeliveryEvent[]): string | null {
  try {
    return isDeepStrictEqual(fold(audit), record) ? null : "differs from its audit";
  } catch (error) {
    return `has an audit that cannot be replayed: ${messageOf(error)}`;
  }
}

/** Usage counts only on its own day; earlier days are kept for a while, for people. */
function pruneUsage(db: Database.Database, before: number): void {
  db.prepare<[number]>(
    "UPDATE store_state SET usage_floor = max(usage_floor, date(? / 1000, 'unixepoch', '-2 days'))",
  ).run(before);
  for (const table of ["usage", "lifted_limit"]) {
    db.prepare<[number]>(`DELETE FROM ${table} WHERE day < date(? / 1000, 'unixepoch', '-2 days')`).run(before);
  }
}

/** Removes a record only if its message is read, so a delivery that failed for good stays until a person acts. */
export function pruneStore(db: Database.Database, before: PruneTimes): number {
  db.prepare<[number]>("UPDATE store_state SET log_end = ?").run(endOfLog(db));
  const pruned = db
    .prepare<{ responded: number; failed: number }>(`
      DELETE FROM delivery INDEXED BY delivery_ended
      WHERE NOT owed
        AND status IN ('responded', 'cancelled')
        AND updated_at < max(@responded, @failed)
        AND updated_at < CASE WHEN failed_at IS NULL THEN @responded ELSE @failed END
        AND (SELECT read_at FROM message WHERE message.seq = delivery.message_seq) IS NOT NULL`)
    .run({ responded: before.responded, failed: before.failed });
  trimLedger(db, before.log);
  pruneUsage(db, before.responded);
  pruneTransports(db, before.log);
  db.prepare<[string]>("DELETE FROM day_stats WHERE day < ?").run(dayOf(before.stats));
  trimEvents(db).byAge(before.events);
  return pruned.changes;
}
