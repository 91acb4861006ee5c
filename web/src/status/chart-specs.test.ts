import { expect, test } from "vitest";
import type { DayTotals } from "waybill/client";
import { chartSpecs, drawnValues, hasValues, legendValue, spokenSummary } from "./chart-specs.ts";

const none = { responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 };
const timing = (ms: number) => ({ count: 1, meanMs: ms, p50Ms: ms, p95Ms: ms * 3, maxMs: ms * 4 });
const row = (figures: Partial<DayTotals> = {}): DayTotals => ({
  ...{ day: "2026-11-17", ...none, accept: null, firstToken: null, proof: null },
  ...figures,
});

function chart(key: string) {
  const spec = chartSpecs.find((one) => one.key === key);
  if (!spec) throw new Error(`No chart ${key}`);
  return spec;
}

test("by default a chart of times shows the last day with a value", () => {
  const spec = chart("proof");
  const rows = [row({ proof: timing(1000) }), row({ proof: timing(2000) }), row()];
  expect(spec.series.map((series) => legendValue(spec, series, rows, null))).toEqual(["2 s", "6 s"]);
});

test("by default a chart of counts shows the sum of all days", () => {
  const spec = chart("trouble");
  const rows = [row({ retries: 1, failed: 2 }), row({ retries: 3 })];
  expect(spec.series.map((series) => legendValue(spec, series, rows, null))).toEqual(["4", "2"]);
});

test("a hovered day shows its own values, or that there is none", () => {
  const spec = chart("accept");
  const rows = [row({ accept: timing(80) }), row()];
  const [p50] = spec.series;
  expect(p50 && legendValue(spec, p50, rows, row({ accept: timing(80) }))).toBe("80 ms");
  expect(p50 && legendValue(spec, p50, rows, row())).toBe("none");
});

test("a chart without values is not drawn", () => {
  expect(hasValues(chart("cost"), [row()])).toBe(false);
  expect(hasValues(chart("cost"), [row(), row({ cost: 0.1 })])).toBe(true);
  expect(hasValues(chart("accept"), [row()])).toBe(false);
});

test("a chart is summarised in a sentence", () => {
  expect(spokenSummary(chart("cost"), [row({ cost: 1 }), row({ cost: 0.5 })])).toBe(
    "Cost over 2 days. In total: dollars $1.50.",
  );
});

test("the steps of every axis ascend", () => {
  for (const { steps } of chartSpecs) expect([...steps].sort((a, b) => a - b)).toEqual(steps);
});

test("the series of a chart can be told apart without colours", () => {
  for (const { series } of chartSpecs) expect(new Set(series.map(({ look }) => look)).size).toBe(series.length);
});

test("failures are drawn below retries, and a day without either has no bar", () => {
  const rows = [row({ retries: 2, failed: 1 }), row({ failed: 1 }), row()];
  expect(drawnValues(chart("trouble"), rows)).toEqual([
    [3, null, null],
    [1, 1, null],
  ]);
});

test("lines are drawn unchanged", () => {
  expect(drawnValues(chart("accept"), [row({ accept: timing(10) }), row()])).toEqual([
    [10, null],
    [30, null],
  ]);
});
