/** Which charts there are, and what each draws from the rows of days. Pure. */

import type { DayTotals, Duration } from "waybill/client";
import { countOf, moneyAmount, timeAmount, tokenAmount } from "./amounts.ts";

/** Lines differ by dashes and bars by fill, so that colour is never the only difference. */
export type Look = "line" | "dashed" | "bar" | "hollow";

export type SeriesSpec = {
  label: string;
  look: Look;
  /** The name of a colour in tokens.css. */
  colour: string;
  valueOn: (row: DayTotals) => number | null;
};

export type ChartSpec = {
  key: string;
  title: string;
  hint: string;
  series: readonly SeriesSpec[];
  words: (value: number) => string;
  /** The steps that its axis may have. */
  steps: readonly number[];
  /** Bars are stacked, the last one at the bottom. */
  isStacked?: boolean;
  /** What the legend shows while no day is hovered: the last day with a value, or the sum of all days. */
  atRest: "last" | "sum";
};

const tens = (from: number, to: number, leads: readonly number[]): number[] => {
  const steps: number[] = [];
  for (let exponent = from; exponent <= to; exponent++) for (const lead of leads) steps.push(lead * 10 ** exponent);
  return steps;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const timeSteps = [
  ...tens(0, 2, [1, 2, 5]),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 6, 12, 24, 48, 96].map((count) => count * hour),
];

const count = (value: number) => String(value);

function timing(key: string, title: string, hint: string, of: (row: DayTotals) => Duration | null): ChartSpec {
  return {
    ...{ key, title, hint, words: timeAmount, steps: timeSteps, atRest: "last" },
    series: [
      { label: "p50", look: "line", colour: "accent", valueOn: (row) => of(row)?.p50Ms ?? null },
      { label: "p95", look: "dashed", colour: "busy", valueOn: (row) => of(row)?.p95Ms ?? null },
    ],
  };
}

export const chartSpecs: readonly ChartSpec[] = [
  timing("accept", "Time to accept", "From sending to acceptance by the agent program", ({ accept }) => accept),
  timing("first-token", "Time to first token", "From sending to the agent's first words", (row) => row.firstToken),
  timing("proof", "Time to proof", "From sending to a proven answer", ({ proof }) => proof),
  {
    ...{ key: "trouble", title: "Retries and failures", hint: "Of the deliveries that ended on each day" },
    ...{ words: count, steps: tens(0, 7, [1, 2, 5]), atRest: "sum", isStacked: true },
    series: [
      { label: "retries", look: "hollow", colour: "wait", valueOn: ({ retries }) => retries },
      { label: "failures", look: "bar", colour: "bad", valueOn: ({ failed }) => failed },
    ],
  },
  {
    ...{ key: "cost", title: "Cost", hint: "As the agent programs report it, in dollars" },
    ...{ words: moneyAmount, steps: tens(-2, 7, [1, 2, 5]), atRest: "sum" },
    series: [{ label: "dollars", look: "bar", colour: "accent", valueOn: ({ cost }) => cost }],
  },
  {
    ...{ key: "tokens", title: "Tokens", hint: "As the agent programs report them" },
    ...{ words: tokenAmount, steps: tens(0, 12, [1, 2, 5]), atRest: "sum" },
    series: [{ label: "tokens", look: "bar", colour: "busy", valueOn: ({ tokens }) => tokens }],
  },
];

/** What the legend shows for a series: for a day, or by default. */
export function legendValue(
  spec: ChartSpec,
  series: SeriesSpec,
  rows: readonly DayTotals[],
  day: DayTotals | null,
): string {
  const value = day === null ? valueAtRest(spec, series, rows) : series.valueOn(day);
  return value === null ? "none" : spec.words(value);
}

function valueAtRest({ atRest }: ChartSpec, { valueOn }: SeriesSpec, rows: readonly DayTotals[]): number | null {
  const values = rows.map(valueOn);
  if (atRest === "last") return values.findLast((value) => value !== null) ?? null;
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The drawn values of each series: null where there is nothing to draw. */
export function drawnValues({ series, isStacked = false }: ChartSpec, rows: readonly DayTotals[]): (number | null)[][] {
  return series.map(({ look, valueOn }, index) =>
    rows.map((row) => {
      const value = valueOn(row);
      if (look === "line" || look === "dashed") return value;
      // A bar of no height would still draw its edge.
      if (value === null || value === 0) return null;
      const below = isStacked ? series.slice(index + 1) : [];
      return below.reduce((sum, lower) => sum + (lower.valueOn(row) ?? 0), value);
    }),
  );
}

/** Whether there is anything to draw. */
export function hasValues({ series }: ChartSpec, rows: readonly DayTotals[]): boolean {
  return series.some(({ valueOn }) => rows.some((row) => (valueOn(row) ?? 0) > 0));
}

/** A sentence for screen readers. */
export function spokenSummary(spec: ChartSpec, rows: readonly DayTotals[]): string {
  const values = spec.series.map((series) => `${series.label} ${legendValue(spec, series, rows, null)}`).join(", ");
  const what = spec.atRest === "last" ? "On the last day with a value" : "In total";
  return `${spec.title} over ${countOf(rows.length, "day")}. ${what}: ${values}.`;
}
