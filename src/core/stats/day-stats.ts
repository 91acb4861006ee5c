/**
 * What happened in a lane on a day, kept after the records are deleted: how deliveries ended, how long they took, and
 * what the agent used. A delivery counts once, on the day of its end. Pure.
 */
import { earliest } from "../delivery/attempt.ts";
import type { DeliveryEvent, DeliveryEventType } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { UsageEntry } from "../lane/lane.ts";
import { dayOf } from "../lane/lane.ts";

/** How many days are kept. */
export const keptStatsDays = 400;

type Counts = { responded: number; failed: number; cancelled: number; retries: number; tokens: number; cost: number };
type Times = { accept: Durations | null; firstToken: Durations | null; proof: Durations | null };

/** `retries`: attempts beyond the first, including repairs. Durations count from admission, for answered deliveries only. */
export type Stats = Counts & Times;
export type DayStats = Stats & { day: string; laneId: string };

export const noStats: Stats = {
  ...{ responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 },
  ...{ accept: null, firstToken: null, proof: null },
};

/** What an ended delivery adds to its day. */
export type DeliveryEnd = {
  day: string;
  laneId: string;
  outcome: "responded" | "failed" | "cancelled";
  retries: number;
  /** Null unless it was answered. */
  times: { acceptMs: number | null; firstTokenMs: number | null; proofMs: number } | null;
};

/** `removed`: a failed delivery that is later proven, cancelled or retried no longer counts as failed. */
export type DayStatsChange = { removed: DeliveryEnd | null; added: DeliveryEnd | null };

/** Null if nothing changes. */
export function dayStatsChange(before: DeliveryRecord, after: DeliveryRecord): DayStatsChange | null {
  if (before.status === after.status && before.failedAt === after.failedAt) return null;
  const removed = endOf(before);
  const added = endOf(after);
  return removed || added ? { removed, added } : null;
}

function endOf(record: DeliveryRecord): DeliveryEnd | null {
  const { status, laneId, attempts, repairs, respondedAt, failedAt, cancelledAt } = record;
  const end = (outcome: DeliveryEnd["outcome"], at: number | null): DeliveryEnd | null =>
    at === null
      ? null
      : { day: dayOf(at), laneId, outcome, retries: Math.max(0, attempts + repairs - 1), times: timesOf(record) };
  switch (status) {
    case "responded":
      return end("responded", respondedAt);
    case "failed_terminal":
      return end("failed", failedAt);
    case "cancelled":
      return end("cancelled", cancelledAt);
    default:
      return null;
  }
}

/**
 * Only answered deliveries: a failure may be taken back, which a maximum cannot be, and a cancelled one says little.
 */
function timesOf({ status, createdAt, acceptedAt, respondedAt, attemptList }: DeliveryRecord): DeliveryEnd["times"] {
  if (status !== "responded" || respondedAt === null) return null;
  // The agent program's clock may be a little behind.
  const since = (at: number | null) => (at === null ? null : Math.max(0, at - createdAt));
  return {
    acceptMs: since(earliest(attemptList.map(({ storedAt }) => storedAt)) ?? acceptedAt),
    firstTokenMs: since(earliest(attemptList.map(({ firstTokenAt }) => firstTokenAt))),
    proofMs: Math.max(0, respondedAt - createdAt),
  };
}

const endTypes = new Set<DeliveryEventType>([
  "proven",
  "failed_terminal",
  "cancelled",
  "withdrawn",
  "retried_by_person",
]);

/** The days whose statistics the events may change. */
export function changedDays(before: DeliveryRecord, events: readonly DeliveryEvent[]): string[] {
  const ends = events.filter(({ type }) => endTypes.has(type));
  const removed = ends.length > 0 ? endOf(before) : null;
  return [...new Set([...(removed ? [removed.day] : []), ...ends.map(({ at }) => dayOf(at))])];
}

/** The new statistics of the days that a change concerns. A day that is not in `known` has none, or was pruned. */
export function changedStats(known: readonly DayStats[], { removed, added }: DayStatsChange): DayStats[] {
  const changed = new Map(known.map((stats) => [stats.day, stats]));
  const counted = removed && changed.get(removed.day);
  if (counted) changed.set(counted.day, withoutEnd(counted, removed));
  if (added) {
    const { day, laneId } = added;
    changed.set(day, withEnd(changed.get(day) ?? { ...noStats, day, laneId }, added));
  }
  return [...changed.values()].filter((stats) => !known.includes(stats));
}

function withEnd(stats: DayStats, { outcome, retries, times }: DeliveryEnd): DayStats {
  const timed = (durations: Durations | null, ms: number | null | undefined) =>
    ms === null || ms === undefined ? durations : withDuration(durations, ms);
  return {
    ...stats,
    [outcome]: stats[outcome] + 1,
    retries: stats.retries + retries,
    accept: timed(stats.accept, times?.acceptMs),
    firstToken: timed(stats.firstToken, times?.firstTokenMs),
    proof: timed(stats.proof, times?.proofMs),
  };
}

/** For a delivery that had failed: only failures can be taken back. */
function withoutEnd(stats: DayStats, { outcome, retries }: DeliveryEnd): DayStats {
  return {
    ...stats,
    [outcome]: Math.max(0, stats[outcome] - 1),
    retries: Math.max(0, stats.retries - retries),
  };
}

export function addStats(one: Stats, other: Stats): Stats {
  return {
    responded: one.responded + other.responded,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    retries: one.retries + other.retries,
    tokens: one.tokens + other.tokens,
    cost: one.cost + other.cost,
    accept: addDurations(one.accept, other.accept),
    firstToken: addDurations(one.firstToken, other.firstToken),
    proof: addDurations(one.proof, other.proof),
  };
}

/**
 * How much more a message has used than was known, on the day on which it was first counted. Null for a day before
 * `countedFrom`: those messages have been forgotten, and reading one again must not count it twice.
 */
export function usageIncrease(
  known: Omit<UsageEntry, "messageId"> | null,
  seen: UsageEntry,
  countedFrom: string,
): Omit<UsageEntry, "messageId"> | null {
  const { day, tokens, cost } = known ?? { day: seen.day, tokens: 0, cost: 0 };
  if (day < countedFrom) return null;
  return { day, tokens: Math.max(0, seen.tokens - tokens), cost: Math.max(0, seen.cost - cost) };
}

/**
 * A compact histogram that can be added up, and from which quantiles are estimated. `counts`: entries in bucket number
 * `first`, the next one, and so on. They are stored, so the bounds never change.
 */
export type Durations = { sumMs: number; maxMs: number; first: number; counts: readonly number[] };

type DurationSummary = { count: number; meanMs: number; p50Ms: number; p95Ms: number; maxMs: number };

/** Bucket 0 ends here. */
const firstBoundMs = 10;
/** A bucket is 19 % wide, so an estimate is at most that far off. */
const bucketsPerDoubling = 4;

export function bucketOf(ms: number): number {
  return ms < firstBoundMs ? 0 : 1 + Math.floor(bucketsPerDoubling * Math.log2(ms / firstBoundMs));
}

/** The exclusive upper bound of a bucket. */
function endOfBucket(bucket: number): number {
  return firstBoundMs * 2 ** (bucket / bucketsPerDoubling);
}

export function withDuration(durations: Durations | null, ms: number): Durations {
  return addDurations(durations, { sumMs: ms, maxMs: ms, first: bucketOf(ms), counts: [1] });
}

export function addDurations<D extends Durations | null>(one: Durations | null, other: D): D | Durations {
  if (one === null) return other;
  if (other === null) return one;
  const first = Math.min(one.first, other.first);
  const end = Math.max(one.first + one.counts.length, other.first + other.counts.length);
  const counts: number[] = [];
  for (let bucket = first; bucket < end; bucket++) {
    counts.push((one.counts[bucket - one.first] ?? 0) + (other.counts[bucket - other.first] ?? 0));
  }
  return { sumMs: one.sumMs + other.sumMs, maxMs: Math.max(one.maxMs, other.maxMs), first, counts };
}

export function summaryOf(durations: Durations): DurationSummary {
  const { sumMs, maxMs } = durations;
  const count = countOf(durations);
  const quantileOf = (q: number) => atRank(durations, count, q);
  return { count, meanMs: Math.round(sumMs / count), p50Ms: quantileOf(0.5), p95Ms: quantileOf(0.95), maxMs };
}

/** An estimate by nearest rank that assumes an even spread within a bucket. The maximum is exact. */
export function quantile(durations: Durations, q: number): number {
  return atRank(durations, countOf(durations), q);
}

function atRank({ first, counts, maxMs }: Durations, count: number, q: number): number {
  const rank = Math.max(1, Math.ceil(q * count));
  if (rank >= count) return maxMs;
  let below = 0;
  for (let index = 0; index < counts.length; index++) {
    const inBucket = counts[index] ?? 0;
    if (below + inBucket >= rank) {
      const bucket = first + index;
      const from = bucket === 0 ? 0 : endOfBucket(bucket - 1);
      const to = Math.min(endOfBucket(bucket), maxMs);
      return Math.round(from + ((to - from) * (rank - below - 0.5)) / inBucket);
    }
    below += inBucket;
  }
  return maxMs;
}

function countOf({ counts }: Durations): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
