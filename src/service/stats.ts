/** The part of the service that reports statistics by day. */
import { dayBefore, dayOf } from "../core/lane/daily-limit.ts";
import { knownLane } from "../store/known.ts";
import type { LaneStore, StatsStore } from "../store/port.ts";
import type { StatsReport } from "./service.ts";

export async function statsOf(
  store: StatsStore & Pick<LaneStore, "lane" | "lanes">,
  { days, lane }: { days: number; lane?: string | undefined },
  now: number,
): Promise<StatsReport> {
  const from = dayBefore(now, days - 1);
  const found = await store.dayStats({ from, laneId: lane });
  // Days of a removed lane can still be read; a lane that never had any is an error.
  if (lane !== undefined && found.length === 0) await knownLane(store, lane);
  return { from, to: dayOf(now), days: found };
}
