/** The statistics of each lane and day. */
import type Database from "better-sqlite3";
import type { DayStats, DayStatsChange, DeliveryEnd, Durations } from "../../core/stats/day-stats.ts";
import { noStats, withEnd, withoutEnd } from "../../core/stats/day-stats.ts";
import type { StatsFilter, UsageEntry } from "../port.ts";
import type { ColumnValue } from "./deliveries.ts";

type Row = Omit<DayStats, "accept" | "firstToken" | "proof"> & {
  accept: string | null;
  firstToken: string | null;
  proof: string | null;
};

export type DayStatsWriter = ReturnType<typeof dayStatsStatements>;

export function dayStatsStatements(db: Database.Database) {
  const select = (where: string) => `
    SELECT day, lane_id AS laneId, responded, failed, cancelled, retries, tokens, cost, accept, first_token AS firstToken, proof
    FROM day_stats ${where}`;
  const one = db.prepare<[string, string], Row>(select("WHERE day = ? AND lane_id = ?"));
  const since = db.prepare<[string], Row>(select("WHERE day >= ? ORDER BY day, lane_id"));
  const sinceIn = db.prepare<[string, string], Row>(select("WHERE day >= ? AND lane_id = ? ORDER BY day"));
  // By position, because named parameters are looked up one by one.
  const putEnds = db.prepare<ColumnValue[]>(`
    INSERT INTO day_stats (day, lane_id, responded, failed, cancelled, retries, accept, first_token, proof)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (day, lane_id) DO UPDATE SET
      responded = excluded.responded, failed = excluded.failed, cancelled = excluded.cancelled, retries = excluded.retries,
      accept = excluded.accept, first_token = excluded.first_token, proof = excluded.proof`);
  const addUsage = db.prepare<Omit<UsageEntry, "messageId"> & { laneId: string }>(`
    INSERT INTO day_stats (day, lane_id, tokens, cost) VALUES (@day, @laneId, @tokens, @cost)
    ON CONFLICT (day, lane_id) DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`);

  const find = ({ day, laneId }: DeliveryEnd): DayStats | null => {
    const row = one.get(day, laneId);
    return row ? statsOf(row) : null;
  };
  const save = (stats: DayStats): void => {
    const { day, laneId, responded, failed, cancelled, retries, accept, firstToken, proof } = stats;
    const times = [accept, firstToken, proof].map((one) => one && JSON.stringify(one));
    putEnds.run(day, laneId, responded, failed, cancelled, retries, ...times);
  };

  return {
    change({ removed, added }: DayStatsChange): void {
      // That day may have been pruned.
      const counted = removed && find(removed);
      if (counted) save(withoutEnd(counted, removed));
      if (added) save(withEnd(find(added) ?? { ...noStats, day: added.day, laneId: added.laneId }, added));
    },
    addUsage: (laneId: string, { day, tokens, cost }: Omit<UsageEntry, "messageId">): void =>
      void addUsage.run({ laneId, day, tokens, cost }),
    since: ({ from, laneId }: StatsFilter): DayStats[] =>
      (laneId === undefined ? since.all(from) : sinceIn.all(from, laneId)).map(statsOf),
  };
}

function statsOf({ accept, firstToken, proof, ...counts }: Row): DayStats {
  return { ...counts, accept: read(accept), firstToken: read(firstToken), proof: read(proof) };
}

function read(json: string | null): Durations | null {
  return json === null ? null : (JSON.parse(json) as Durations);
}
