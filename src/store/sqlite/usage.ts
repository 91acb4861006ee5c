/** The usage of lanes, by day. */
import type Database from "better-sqlite3";
import type { DayUsage, Usage } from "../../core/lane/daily-limit.ts";
import { usageIncrease } from "../../core/stats/day-stats.ts";
import type { UsageEntry, UsageStore } from "../port.ts";
import type { DayStatsWriter } from "./day-stats.ts";

type DayAmount = Omit<UsageEntry, "messageId">;

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
    /** The entries that would change something. Most reads bring nothing new and need no commit. */
    fresh: (laneId: string, entries: readonly UsageEntry[]): UsageEntry[] =>
      entries.filter(({ messageId, tokens, cost }) => {
        const known = one.get(laneId, messageId);
        return known === undefined || tokens > known.tokens || cost > known.cost;
      }),
    /** Returns the increase over what was known before, by day. */
    count(laneId: string, entries: readonly UsageEntry[]): DayAmount[] {
      const countedFrom = floor.get() ?? "";
      return entries.flatMap((entry) => {
        const increase = usageIncrease(one.get(laneId, entry.messageId) ?? null, entry, countedFrom);
        const { messageId, day, tokens, cost } = entry;
        put.run({ laneId, messageId, day, tokens, cost });
        return increase ? [increase] : [];
      });
    },
    of: (laneId: string, day: string): DayUsage => ({
      ...(of.get(laneId, day) ?? { tokens: 0, cost: 0 }),
      lifted: isLifted.get(laneId, day) !== undefined,
    }),
    lift: (laneId: string, day: string): void => void lift.run(laneId, day),
  };
}

type UsageVerbs = Pick<UsageStore, "countUsage" | "usageOf" | "liftLimits">;

export function usageVerbs({
  usage,
  dayStats,
  write,
}: {
  usage: ReturnType<typeof usageStatements>;
  dayStats: DayStatsWriter;
  write: <T>(run: () => T) => Promise<T>;
}): UsageVerbs {
  return {
    async countUsage(laneId, entries) {
      const fresh = usage.fresh(laneId, entries);
      if (fresh.length === 0) return;
      await write(() => {
        for (const increase of usage.count(laneId, fresh)) dayStats.addUsage(laneId, increase);
      });
    },
    usageOf: async (laneId, day) => usage.of(laneId, day),
    liftLimits: (laneId, day) => write(() => usage.lift(laneId, day)),
  };
}
