/** Statistics by day, as charts and tables need them. Pure. */

import type { DayTotals, Stats } from "waybill/client";
import { groupBy } from "../group-by.ts";

export type Sums = Pick<DayTotals, "responded" | "failed" | "cancelled" | "retries" | "tokens" | "cost">;

const nothing: Omit<DayTotals, "day"> = {
  ...{ responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 },
  ...{ accept: null, firstToken: null, proof: null },
};

const dayMs = 86_400_000;

/** Every day from one to the other, both included. */
export function daysBetween(from: string, to: string): string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  const count = Math.max(0, Math.round((last - first) / dayMs) + 1);
  return Array.from({ length: count }, (_, index) => new Date(first + index * dayMs).toISOString().slice(0, 10));
}

/**
 * One row per day, for one lane or for all (null). Missing days are filled with zeros. The daemon provides the totals
 * of all lanes, because percentiles cannot be added up here.
 */
export function rowsOf(stats: Stats, lane: string | null): DayTotals[] {
  const rows = lane === null ? stats.totals : stats.days.filter((row) => row.lane === lane);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return daysBetween(stats.from, stats.to).map((day) => byDay.get(day) ?? { day, ...nothing });
}

export function sumOf(rows: readonly Sums[]): Sums {
  const sums = { responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 };
  for (const row of rows) {
    sums.responded += row.responded;
    sums.failed += row.failed;
    sums.cancelled += row.cancelled;
    sums.retries += row.retries;
    sums.tokens += row.tokens;
    sums.cost += row.cost;
  }
  return sums;
}

export function isEmpty({ responded, failed, cancelled, tokens, cost }: Sums): boolean {
  return responded + failed + cancelled + tokens + cost === 0;
}

/** What each lane did and used over these days, most expensive first. A removed lane keeps its days. */
export function sumsByLane({ days }: Pick<Stats, "days">): (Sums & { lane: string })[] {
  const byLane = groupBy(days, ({ lane }) => lane);
  const sums = [...byLane].map(([lane, rows]) => ({ lane, ...sumOf(rows) }));
  const ended = ({ responded, failed, cancelled }: Sums) => responded + failed + cancelled;
  return sums.sort((a, b) => b.cost - a.cost || ended(b) - ended(a) || a.lane.localeCompare(b.lane));
}
