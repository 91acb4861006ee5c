/** A chart with its legend. It adapts to the available width and the page's theme. */
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { useEffect, useRef, useState } from "react";
import type { DayTotals } from "waybill/client";
import { dayName } from "./amounts.ts";
import type { ChartSpec, Look } from "./chart-specs.ts";
import { hasValues, legendValue, spokenSummary } from "./chart-specs.ts";
import { drawPlot, plotHeight } from "./plot.ts";

export default function Chart({ spec, rows }: { spec: ChartSpec; rows: readonly DayTotals[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const theme = useShownTheme();
  const isDrawn = hasValues(spec, rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read while drawing
  useEffect(() => {
    const target = place.current;
    if (!target || !isDrawn) return;
    const plot = drawPlot(target, spec, rows, setPointedAt);
    const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: plotHeight }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [spec, rows, isDrawn, theme]);
  const day = pointedAt === null ? null : (rows[pointedAt] ?? null);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-sm">
        <p className="flex justify-between gap-2">
          <span className="font-semibold" title={spec.hint}>
            {spec.title}
          </span>
          {isDrawn && <span className="text-faint">{day ? dayName(day.day) : restNames[spec.atRest]}</span>}
        </p>
        {isDrawn && <Legend spec={spec} rows={rows} day={day} />}
      </figcaption>
      {isDrawn ? (
        <div ref={place} role="img" aria-label={spokenSummary(spec, rows)} style={{ height: plotHeight }} />
      ) : (
        <p
          className="flex items-center justify-center rounded-md border border-dashed border-line text-faint"
          style={{ height: plotHeight + 18 }}
        >
          No data for these days
        </p>
      )}
    </figure>
  );
}

const restNames = { sum: "all days", last: "last value" } as const;

function Legend({ spec, rows, day }: { spec: ChartSpec; rows: readonly DayTotals[]; day: DayTotals | null }) {
  return (
    <p className="flex gap-4 text-muted" aria-hidden="true">
      {spec.series.map((series) => (
        <span key={series.label} className="flex items-center gap-1.5 whitespace-nowrap tabular-nums">
          <Swatch look={series.look} colour={series.colour} />
          {series.label} <span className="text-ink">{legendValue(spec, series, rows, day)}</span>
        </span>
      ))}
    </p>
  );
}

function Swatch({ look, colour }: { look: Look; colour: string }) {
  const stroke = `var(--${colour})`;
  if (look === "line" || look === "dashed") {
    return (
      <svg viewBox="0 0 16 8" className="h-2 w-4" aria-hidden="true">
        <path d="M0 4h16" stroke={stroke} strokeWidth="2" strokeDasharray={look === "dashed" ? "4 2" : "none"} />
      </svg>
    );
  }
  return (
    <svg viewBox="0 0 8 8" className="size-2" aria-hidden="true">
      <path d="M1 1h6v6H1z" stroke={stroke} fill={look === "bar" ? stroke : `var(--${colour}-soft)`} />
    </svg>
  );
}

/** Either the system or a person may change it. */
function useShownTheme(): string {
  const [shown, setShown] = useState(themeOfPage);
  useEffect(() => {
    const observer = new MutationObserver(() => setShown(themeOfPage()));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return shown;
}

function themeOfPage(): string {
  return document.documentElement.dataset.theme ?? "light";
}
