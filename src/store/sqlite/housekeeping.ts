/** Checking, pruning and copying a store. */

import { isDeepStrictEqual } from "node:util";
import type Database from "better-sqlite3";
import { messageOf } from "../../app-error.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { recordFrom } from "../../core/delivery/record.ts";
import { brokenRules } from "../../core/delivery/record-rules.ts";
import { fold } from "../../core/delivery/transition.ts";
import type { Finding, Store } from "../port.ts";
import { eventTrimming } from "./events.ts";

/** The file's own integrity, every rule of every record, and that each record is what its audit amounts to. */
export function checkStore(db: Database.Database): Finding[] {
  const findings = checkFile(db);
  if (findings.length > 0) return findings;
  const records = db.prepare<[], { record: string }>("SELECT record FROM delivery ORDER BY message_seq");
  const events = db.prepare<[string], { event: string }>(
    "SELECT event FROM delivery_event WHERE delivery_id = ? ORDER BY version",
  );
  for (const row of records.iterate()) {
    const record = recordFrom(row.record);
    const subject = `delivery ${record.id}`;
    findings.push(...brokenRules(record).map((problem) => ({ subject, problem: `does not hold: ${problem}` })));
    const audit = events.all(record.id).map((one) => JSON.parse(one.event) as DeliveryEvent);
    const problem = auditProblem(record, audit);
    if (problem) findings.push({ subject, problem });
  }
  return findings;
}

export function checkFile(db: Database.Database, quick = false): Finding[] {
  const integrity = db.pragma(quick ? "quick_check" : "integrity_check") as Record<string, string>[];
  const broken = integrity.flatMap((row) => Object.values(row)).filter((line) => line !== "ok");
  const dangling = quick ? [] : (db.pragma("foreign_key_check") as { table: string; parent: string }[]);
  return [
    ...broken.map((problem) => ({ subject: "file", problem })),
    ...dangling.map((row) => ({ subject: row.table, problem: `refers to a missing row of ${row.parent}` })),
  ];
}

function auditProblem(record: DeliveryRecord, audit: readonly DeliveryEvent[]): string | null {
  try {
    return isDeepStrictEqual(fold(audit), record) ? null : "differs from what its audit amounts to";
  } catch (error) {
    return `has an audit that cannot be followed: ${messageOf(error)}`;
  }
}

/** Only ever its beginning, whatever the clock said in between: a gap in the middle would be told to nobody. */
function pruneFeed(db: Database.Database, before: number): void {
  db.prepare<[number]>(`
    DELETE FROM feed
    WHERE seq < coalesce((SELECT min(seq) FROM feed WHERE at >= ?), (SELECT max(seq) + 1 FROM feed))`).run(before);
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
  pruneFeed(db, before.feed);
  pruneUsage(db, before.responded);
  eventTrimming(db).byAge(before.events);
  return pruned.changes;
}
