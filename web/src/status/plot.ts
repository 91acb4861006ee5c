/** Draws one chart with uPlot, in the colours of the page. */
import uPlot from "uplot";
import type { DayTotals } from "waybill/client";
import { dayName } from "./amounts.ts";
import type { ChartSpec, SeriesSpec } from "./chart-specs.ts";
import { drawnValues } from "./chart-specs.ts";

export const plotHeight = 132;
const axisFont = "11px system-ui, sans-serif";
/** All charts of the page show the same day. */
const cursorKey = "status-days";

type Colours = (name: string) => string;

/** From tokens.css, for the current theme. */
function shownColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

export function drawPlot(
  target: HTMLElement,
  spec: ChartSpec,
  rows: readonly DayTotals[],
  onDay: (index: number | null) => void,
): uPlot {
  const colour = shownColours();
  const values = drawnValues(spec, rows);
  const options: uPlot.Options = {
    width: target.clientWidth,
    height: plotHeight,
    padding: [6, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 6, width: 1.5, fill: colour("surface") },
      sync: { key: cursorKey },
    },
    scales: {
      x: { time: false, range: () => [-0.5, Math.max(rows.length - 0.5, 0.5)] },
      y: { range: (_, __, max) => [0, Math.max((max ?? 0) * 1.1, spec.steps[0] ?? 1)] },
    },
    axes: [dayAxis(rows, colour), valueAxis(spec, colour)],
    series: [{}, ...spec.series.map((series, index) => seriesOptions(series, values[index] ?? [], colour))],
    hooks: { setCursor: [(plot) => onDay(plot.cursor.idx ?? null)] },
  };
  const days = rows.map((_, index) => index);
  return new uPlot(options, [days, ...values], target);
}

function dayAxis(rows: readonly DayTotals[], colour: Colours): uPlot.Axis {
  return {
    ...axisLook(colour),
    size: 24,
    space: 52,
    incrs: [1, 2, 3, 5, 7, 14, 15, 30],
    grid: { show: false },
    values: (_, splits) => splits.map((index) => dayLabel(rows[index])),
  };
}

function dayLabel(row: DayTotals | undefined): string {
  return row ? dayName(row.day) : "";
}

function valueAxis(spec: ChartSpec, colour: Colours): uPlot.Axis {
  return {
    ...axisLook(colour),
    size: 52,
    space: 28,
    incrs: [...spec.steps],
    grid: { stroke: colour("line"), width: 1 },
    values: (_, splits) => splits.map((value) => (value === 0 ? "0" : spec.words(value))),
  };
}

function axisLook(colour: Colours): uPlot.Axis {
  return { stroke: colour("faint"), font: axisFont, gap: 4, ticks: { show: false } };
}

/** With more values than this, points are not drawn. */
const maxPoints = 40;

function seriesOptions(spec: SeriesSpec, values: readonly (number | null)[], colour: Colours): uPlot.Series {
  const { label, look, colour: name } = spec;
  const stroke = colour(name);
  if (look === "line" || look === "dashed") {
    const dash = look === "dashed" ? { dash: [4, 3] } : {};
    const isSparse = values.filter((value) => value !== null).length <= maxPoints;
    const points = { show: isSparse, size: 4, width: 1.5, fill: look === "line" ? stroke : colour("surface") };
    return { label, stroke, width: 1.5, spanGaps: true, points, ...dash };
  }
  const paths = uPlot.paths.bars?.({ size: [0.64, 22, 2] });
  const fill = look === "bar" ? stroke : colour(`${name}-soft`);
  return { label, stroke, fill, width: 1, points: { show: false }, ...(paths ? { paths } : {}) };
}
