/** Removes the oldest events of lanes. What it costs follows from how many are removed, not from how many there are. */
import type Database from "better-sqlite3";

/** However old they are: enough to show how the last turn ended, and to count turns on from. */
const alwaysKept = 100;

export function eventTrimming(db: Database.Database) {
  const bounds = db.prepare<[string], { first: number; last: number }>(
    "SELECT first_seq AS first, last_seq AS last FROM event_lane WHERE lane_id = ?",
  );
  const lanes = db.prepare<[], string>("SELECT lane_id FROM event_lane").pluck();
  const placeOf = db.prepare<[string, number], number>("SELECT place FROM event WHERE lane_id = ? AND seq = ?").pluck();
  const firstYoung = db
    .prepare<[string, number], number>(
      "SELECT seq FROM event WHERE lane_id = ? AND at >= ? ORDER BY lane_id, seq LIMIT 1",
    )
    .pluck();
  const remove = db.prepare<[string, number]>("DELETE FROM event WHERE lane_id = ? AND seq <= ?");
  const forget = db.prepare<[number, number, string]>(
    "UPDATE event_lane SET first_seq = ?, lost_place = max(lost_place, ?) WHERE lane_id = ?",
  );

  /** Everything up to this number. */
  const upTo = (lane: string, seq: number): number => {
    const place = placeOf.get(lane, seq);
    if (place === undefined) return 0;
    const { changes } = remove.run(lane, seq);
    forget.run(seq + 1, place, lane);
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
