/**
 * What a benchmark returns: measurements with all their samples, and ratios between them. Pure.
 *
 * A measurement belongs to a chart, has a subject (a program, a query) and was taken under a condition (such as a number of
 * lanes). `spread` says what its samples are: repeats of one figure, or single waits, for which the slowest ones matter.
 */

/** One figure that was measured several times: median, minimum and maximum. */
export function repeats(chart, subject, condition, unit, samples, more = {}) {
  return { chart, subject, condition, unit, spread: "repeats", ...more, ...summary(samples) };
}

/** Many single waits: median (p50) and p99. */
export function waits(chart, subject, condition, unit, samples, more = {}) {
  return { chart, subject, condition, unit, spread: "waits", ...more, ...summary(samples) };
}

export function summary(samples) {
  const sorted = [...samples].sort((one, other) => one - other);
  return {
    count: sorted.length,
    median: rounded(quantile(sorted, 0.5)),
    p99: rounded(quantile(sorted, 0.99)),
    least: rounded(sorted[0]),
    most: rounded(sorted.at(-1)),
    samples: samples.map(rounded),
  };
}

/** The nearest rank; for the median of an even count, the middle between two. */
export function quantile(sorted, share) {
  if (sorted.length === 0) throw new Error("There is nothing to summarise.");
  const half = sorted.length / 2;
  if (share === 0.5 && Number.isInteger(half)) return (sorted[half - 1] + sorted[half]) / 2;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/** None of these figures is precise to four digits. */
export function rounded(value) {
  return Number(value.toPrecision(4));
}

export function find(measurements, chart, subject, condition) {
  return measurements.find(
    (one) => one.chart === chart && one.subject === subject && (condition === undefined || one.condition === condition),
  );
}

/** How many times as much as the other; null if one of them was not measured. */
export function ratio(label, one, other) {
  return { label, value: one && other ? rounded(one.median / other.median) : null };
}
