/**
 * Removes the oldest log entries by kind, and records what is missing, so that readers who have not seen them find out.
 */
import type Database from "better-sqlite3";
import type { EventTrim } from "../../../core/plan/writes.ts";

/** Kept regardless of age: enough to show how the last turn ended, and to continue its numbers. */
const alwaysKept = 100;

/** Agent events: only the oldest of a lane are ever removed. */
export function trimEvents(db: Database.Database) {
  const ofLane = "FROM log WHERE lane_id = ? AND seq IS NOT NULL";
  const firstSeq = db.prepare<[string], number>(`SELECT seq ${ofLane} ORDER BY position LIMIT 1`).pluck();
  const lastSeq = db.prepare<[string], number>(`SELECT seq ${ofLane} ORDER BY position DESC LIMIT 1`).pluck();
  const lanes = db
    .prepare<[], string>(`
      WITH RECURSIVE lane (id) AS (
        SELECT min(lane_id) FROM log WHERE seq IS NOT NULL
        UNION ALL
        SELECT (SELECT min(lane_id) FROM log WHERE seq IS NOT NULL AND lane_id > lane.id) FROM lane WHERE lane.id IS NOT NULL)
      SELECT id FROM lane WHERE id IS NOT NULL`)
    .pluck();
  // Numbers have no gaps, so the distance to the first one gives the offset.
  const positionAt = db
    .prepare<[string, number], number>(`SELECT position ${ofLane} ORDER BY position LIMIT 1 OFFSET ?`)
    .pluck();
  const firstYoung = db
    .prepare<[string, number], number>(`SELECT seq ${ofLane} AND at >= ? ORDER BY position LIMIT 1`)
    .pluck();
  const remove = db.prepare<[string, number]>(`DELETE ${ofLane} AND position <= ?`);
  const remember = db.prepare<[string, number]>(`
    INSERT INTO trimmed_lane (lane_id, position) VALUES (?, ?)
    ON CONFLICT (lane_id) DO UPDATE SET position = max(position, excluded.position)`);

  /** Removes everything up to the number `seq`. */
  const upTo = (lane: string, first: number, seq: number): void => {
    const position = seq < first ? undefined : positionAt.get(lane, seq - first);
    if (position === undefined) return;
    remove.run(lane, position);
    remember.run(lane, position);
  };

  return {
    lanes: (): string[] => lanes.all(),
    /** Trims to the newest `keep` if there are more than `allowed`. */
    toCount({ lane, last, allowed, keep }: EventTrim): void {
      const first = firstSeq.get(lane) ?? last;
      if (last - first + 1 > allowed) upTo(lane, first, last - keep);
    },
    byAge(before: number): void {
      for (const lane of lanes.all()) {
        const [first, newest] = [firstSeq.get(lane) ?? 0, (lastSeq.get(lane) ?? 0) - alwaysKept];
        if (newest < first) continue;
        const young = firstYoung.get(lane, before) ?? Number.MAX_SAFE_INTEGER;
        upTo(lane, first, Math.min(young - 1, newest));
      }
    },
  };
}

/**
 * Trims everything else. Only ever from the beginning, whatever the clock said in between, because readers would never
 * learn of a gap in the middle. The audit of a delivery stays as long as the delivery.
 */
export function trimLedger(db: Database.Database, before: number): void {
  const floor = db.prepare<[], number>("SELECT log_floor FROM store_state").pluck().get() ?? 0;
  const young = db
    .prepare<[number, number], number>(
      "SELECT position FROM log WHERE position > ? AND seq IS NULL AND at >= ? ORDER BY position LIMIT 1",
    )
    .pluck()
    .get(floor, before);
  const newest = db.prepare<[], number>("SELECT coalesce(max(position), 0) FROM log").pluck().get() ?? 0;
  const raised = young === undefined ? newest : young - 1;
  if (raised <= floor) return;
  db.prepare<[number]>("UPDATE store_state SET log_floor = ?").run(raised);
  db.prepare<[number, number]>(
    "DELETE FROM log WHERE position > ? AND position <= ? AND seq IS NULL AND delivery_seq IS NULL",
  ).run(floor, raised);
}
