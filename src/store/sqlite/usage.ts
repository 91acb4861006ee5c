/** What lanes have used, by day. */
import type Database from "better-sqlite3";
import type { DayUsage, Usage } from "../../core/lane/daily-limit.ts";
import type { UsageEntry } from "../port.ts";

export function usageStatements(db: Database.Database) {
  const of = db.prepare<[string, string], Usage>(
    "SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0.0) AS cost FROM usage WHERE lane_id = ? AND day = ?",
  );
  const one = db.prepare<[string, string], Usage>(
    "SELECT tokens, cost FROM usage WHERE lane_id = ? AND message_id = ?",
  );
  const put = db.prepare<UsageEntry & { laneId: string }>(`
    INSERT INTO usage (lane_id, message_id, day, tokens, cost) VALUES (@laneId, @messageId, @day, @tokens, @cost)
    ON CONFLICT (lane_id, message_id)
    DO UPDATE SET tokens = max(tokens, excluded.tokens), cost = max(cost, excluded.cost)`);
  const isLifted = db.prepare<[string, string]>("SELECT 1 FROM lifted_limit WHERE lane_id = ? AND day = ?").pluck();
  const lift = db.prepare<[string, string]>(
    "INSERT INTO lifted_limit (lane_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );

  return {
    /** Those that would change something: most reads bring nothing new, and need no commit. */
    fresh: (laneId: string, entries: readonly UsageEntry[]): UsageEntry[] =>
      entries.filter(({ messageId, tokens, cost }) => {
        const known = one.get(laneId, messageId);
        return known === undefined || tokens > known.tokens || cost > known.cost;
      }),
    count(laneId: string, entries: readonly UsageEntry[]): void {
      for (const { messageId, day, tokens, cost } of entries) put.run({ laneId, messageId, day, tokens, cost });
    },
    of: (laneId: string, day: string): DayUsage => ({
      ...(of.get(laneId, day) ?? { tokens: 0, cost: 0 }),
      lifted: isLifted.get(laneId, day) !== undefined,
    }),
    lift: (laneId: string, day: string): void => void lift.run(laneId, day),
  };
}
