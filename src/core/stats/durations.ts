/**
 * A compact histogram of durations: sum, maximum, and buckets that grow by a fixed factor. Histograms can be added
 * up, and quantiles estimated from them. Pure.
 */

/** `counts`: entries in bucket number `first`, the next one, and so on. They are stored, so the bounds never change. */
export type Durations = { sumMs: number; maxMs: number; first: number; counts: readonly number[] };

export type DurationSummary = { count: number; meanMs: number; p50Ms: number; p95Ms: number; maxMs: number };

/** Bucket 0 ends here. */
const firstBoundMs = 10;
/** A bucket is 19 % wide, so an estimate is at most that far off. */
const bucketsPerDoubling = 4;

export function bucketOf(ms: number): number {
  return ms < firstBoundMs ? 0 : 1 + Math.floor(bucketsPerDoubling * Math.log2(ms / firstBoundMs));
}

/** The exclusive upper bound of a bucket. */
function endOf(bucket: number): number {
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
      const from = bucket === 0 ? 0 : endOf(bucket - 1);
      const to = Math.min(endOf(bucket), maxMs);
      return Math.round(from + ((to - from) * (rank - below - 0.5)) / inBucket);
    }
    below += inBucket;
  }
  return maxMs;
}

function countOf({ counts }: Durations): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
