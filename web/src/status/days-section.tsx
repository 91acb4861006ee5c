/** Statistics by day: times, retries and failures, cost. The charts are a separate chunk, loaded here. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import type { Stats } from "waybill/client";
import { lanesQuery, statsQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { countOf, moneyAmount, tokenAmount } from "./amounts.ts";
import { chartSpecs } from "./chart-specs.ts";
import type { Sums } from "./day-series.ts";
import { isEmpty, rowsOf, sumOf, sumsByLane } from "./day-series.ts";
import { DayTable, LaneTable } from "./day-tables.tsx";
import { Nothing, Section } from "./section.tsx";

const Chart = lazy(() => import("./chart.tsx"));

const periods = [7, 30, 90] as const;
type Period = (typeof periods)[number];

export function DaysSection() {
  const [days, setDays] = useState<Period>(30);
  const [lane, setLane] = useState<string | null>(null);
  const { data: stats, error } = useQuery({ ...statsQuery(days), placeholderData: keepPreviousData });
  return (
    <Section
      id="days"
      title="By day"
      actions={
        <>
          <LaneChoice stats={stats} value={lane} onChange={setLane} />
          <PeriodChoice value={days} onChange={setDays} />
        </>
      }
    >
      {error && <ErrorNote error={error} />}
      {stats && <Days stats={stats} lane={lane} onLane={setLane} />}
    </Section>
  );
}

function Days({ stats, lane, onLane }: { stats: Stats; lane: string | null; onLane: (lane: string) => void }) {
  const rows = useMemo(() => rowsOf(stats, lane), [stats, lane]);
  const [isTable, setTable] = useState(false);
  const sums = sumOf(rows);
  if (isEmpty(sums)) {
    return (
      <Nothing>
        No deliveries ended in this period. Once agents have answered, this shows how long they took and what it cost.
      </Nothing>
    );
  }
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-muted">{summary(sums)}</p>
        <Button look="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Show as charts" : "Show as a table"}
        </Button>
      </div>
      {isTable ? (
        <DayTable rows={rows} />
      ) : (
        <div className="grid gap-x-8 gap-y-3 @2xl:grid-cols-2 @5xl:grid-cols-3">
          {chartSpecs.map((spec) => (
            <Suspense key={spec.key} fallback={<p className="h-44 text-faint">{spec.title}…</p>}>
              <Chart spec={spec} rows={rows} />
            </Suspense>
          ))}
        </div>
      )}
      {lane === null && <LaneTable sums={sumsByLane(stats)} onLane={onLane} />}
    </>
  );
}

function summary({ responded, failed, cancelled, retries, tokens, cost }: Sums): string {
  const parts = [
    `${responded.toLocaleString("en")} answered`,
    `${failed.toLocaleString("en")} failed`,
    ...(cancelled > 0 ? [`${cancelled.toLocaleString("en")} cancelled`] : []),
    countOf(retries, "retry", "retries"),
    `${tokenAmount(tokens)} tokens`,
    ...(cost > 0 ? [moneyAmount(cost)] : []),
  ];
  return parts.join(", ");
}

const controlLook = "h-7 rounded-md border border-line-strong bg-surface text-sm";

/** Includes removed lanes that have days. */
function LaneChoice(props: {
  stats: Stats | undefined;
  value: string | null;
  onChange: (lane: string | null) => void;
}) {
  const { stats, value, onChange } = props;
  const { data: lanes = [] } = useQuery(lanesQuery);
  const ids = new Set([...lanes.map(({ id }) => id), ...(stats?.days.map(({ lane }) => lane) ?? [])]);
  return (
    <select
      aria-label="Lane"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}
      className={`${controlLook} max-w-40 px-1`}
    >
      <option value="">All lanes</option>
      {[...ids].sort().map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}

function PeriodChoice({ value, onChange }: { value: Period; onChange: (days: Period) => void }) {
  return (
    <fieldset className={`${controlLook} flex overflow-hidden`}>
      <legend className="sr-only">How many days</legend>
      {periods.map((days) => (
        <label
          key={days}
          className="flex cursor-pointer items-center border-l border-line px-2 first-of-type:border-l-0 has-checked:bg-selected has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="days"
            className="sr-only"
            checked={value === days}
            onChange={() => onChange(days)}
          />
          {days}
          <span className="sr-only sm:not-sr-only">&nbsp;days</span>
        </label>
      ))}
    </fieldset>
  );
}
