/** Formats measurements as a plain-text table. Pure. */

export function tableOf({ measurements, ratios = [], differences = [], notes = [] }) {
  const parts = [];
  for (const [chart, rows] of grouped(measurements)) {
    parts.push(chart, aligned([["", "", "median", "spread", "unit"], ...rows.map(cells)]), "");
  }
  const known = ratios.filter(({ value }) => value !== null);
  if (known.length > 0) parts.push("ratios", aligned(known.map(({ label, value }) => [label, `${value} ×`])), "");
  for (const { label, value, unit } of differences) parts.push(`${label}: ${value} ${unit}`);
  for (const note of notes) parts.push(`Note: ${note}`);
  return parts.join("\n").trimEnd();
}

export function spreadOf({ spread, least, most, p95, p99 }) {
  if (spread !== "waits") return `${least} to ${most}`;
  return p95 === undefined ? `p99 ${p99}` : `p95 ${p95}, p99 ${p99}`;
}

function cells(one) {
  return [one.subject, one.condition, String(one.median), spreadOf(one), one.unit];
}

export function grouped(measurements) {
  const charts = new Map();
  for (const one of measurements) charts.set(one.chart, [...(charts.get(one.chart) ?? []), one]);
  return charts;
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd())
    .join("\n");
}
