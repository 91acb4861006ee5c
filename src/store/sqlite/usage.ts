/** What lanes used, and their statistics, by day. */
import type Database from "better-sqlite3";
import type { DayUsage, Usage, UsageEntry } from "../../core/lane/lane.ts";
import type { DayAmount } from "../../core/plan/writes.ts";
import type { DayStats, Durations } from "../../core/stats/day-stats.ts";
import type { StatsFilter } from "../port.ts";
import type { ColumnValue } from "./deliveries.ts";

export function usageStatements(db: Database.Database) {
  const of = db.prepare<[string, string], Usage>(
    "SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0.0) AS cost FROM usage WHERE lane_id = ? AND day = ?",
  );
  const one = db.prepare<[string, string], DayAmount>(
    "SELECT day, tokens, cost FROM usage WHERE lane_id = ? AND message_id = ?",
  );
  const put = db.prepare<UsageEntry & { laneId: string }>(`
    INSERT INTO usage (lane_id, message_id, day, tokens, cost) VALUES (@laneId, @messageId, @day, @tokens, @cost)
    ON CONFLICT (lane_id, message_id)
    DO UPDATE SET tokens = max(tokens, excluded.tokens), cost = max(cost, excluded.cost)`);
  const floor = db.prepare<[], string>("SELECT usage_floor FROM store_state").pluck();
  const isLifted = db.prepare<[string, string]>("SELECT 1 FROM lifted_limit WHERE lane_id = ? AND day = ?").pluck();
  const lift = db.prepare<[string, string]>(
    "INSERT INTO lifted_limit (lane_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );

  return {
    /** What is known of these messages, by id. */
    known(laneId: string, messageIds: readonly string[]): Map<string, DayAmount> {
      const found = messageIds.map((id) => [id, one.get(laneId, id)] as const);
      return new Map(found.flatMap(([id, amount]) => (amount ? [[id, amount]] : [])));
    },
    /** Messages of earlier days have been forgotten. */
    countedFrom: (): string => floor.get() ?? "",
    save: (laneId: string, { messageId, day, tokens, cost }: UsageEntry): void =>
      void put.run({ laneId, messageId, day, tokens, cost }),
    of: (laneId: string, day: string): DayUsage => ({
      ...(of.get(laneId, day) ?? { tokens: 0, cost: 0 }),
      lifted: isLifted.get(laneId, day) !== undefined,
    }),
    lift: (laneId: string, day: string): void => void lift.run(laneId, day),
  };
}

type Row = Omit<DayStats, "accept" | "firstToken" | "proof"> & {
  accept: string | null;
  firstToken: string | null;
  proof: string | null;
};

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
  const addUsage = db.prepare<DayAmount & { laneId: string }>(`
    INSERT INTO day_stats (day, lane_id, tokens, cost) VALUES (@day, @laneId, @tokens, @cost)
    ON CONFLICT (day, lane_id) DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`);

  return {
    of(day: string, laneId: string): DayStats | null {
      const row = one.get(day, laneId);
      return row ? statsOf(row) : null;
    },
    /** All but what was used. */
    save({ day, laneId, responded, failed, cancelled, retries, ...times }: DayStats): void {
      const { accept, firstToken, proof } = times;
      const texts = [accept, firstToken, proof].map((one) => one && JSON.stringify(one));
      putEnds.run(day, laneId, responded, failed, cancelled, retries, ...texts);
    },
    addUsage: (laneId: string, { day, tokens, cost }: DayAmount): void =>
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
