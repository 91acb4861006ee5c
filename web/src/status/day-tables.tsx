/** The charts' figures as tables: for screen readers, and for exact numbers. */

import type { DayTotals, Duration } from "waybill/client";
import { dayName, moneyAmount, timeAmount, tokenAmount } from "./amounts.ts";
import type { Sums } from "./day-series.ts";
import { isEmpty } from "./day-series.ts";

const head = "h-7 pr-3 text-sm font-normal text-faint last:pr-0 whitespace-nowrap";
const number = "h-7 pr-3 text-right last:pr-0 tabular-nums whitespace-nowrap";

/** Newest first; empty days are left out. */
export function DayTable({ rows }: { rows: readonly DayTotals[] }) {
  const shown = rows.filter((row) => !isEmpty(row)).reverse();
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Statistics by day">
      <table aria-label="Statistics by day" className="w-full">
        <thead>
          <tr className="border-b border-line">
            <th scope="col" className={`${head} text-left`}>
              Day
            </th>
            {[
              "Answered",
              "Failed",
              "Retries",
              "Accept p50 / p95",
              "First token p50 / p95",
              "Proof p50 / p95",
              "Tokens",
              "Cost",
            ].map((name) => (
              <th key={name} scope="col" className={`${head} text-right`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.day} className="border-b border-line last:border-b-0">
              <th scope="row" className="h-7 pr-3 text-left font-normal whitespace-nowrap" title={row.day}>
                {dayName(row.day)}
              </th>
              <td className={number}>{row.responded}</td>
              <td className={number}>{row.failed}</td>
              <td className={number}>{row.retries}</td>
              <td className={number}>{timingWords(row.accept)}</td>
              <td className={number}>{timingWords(row.firstToken)}</td>
              <td className={number}>{timingWords(row.proof)}</td>
              <td className={number}>{tokenAmount(row.tokens)}</td>
              <td className={number}>{moneyAmount(row.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function timingWords(timing: Duration | null): string {
  return timing === null ? "none" : `${timeAmount(timing.p50Ms)} / ${timeAmount(timing.p95Ms)}`;
}

/** What each lane did and used in the whole period. */
export function LaneTable({
  sums,
  onLane,
}: {
  sums: readonly (Sums & { lane: string })[];
  onLane: (lane: string) => void;
}) {
  if (sums.length < 2) return null;
  return (
    <div className="mt-3 max-w-3xl overflow-x-auto" tabIndex={0} role="region" aria-label="Sums by lane">
      <table aria-label="Sums by lane" className="w-full">
        <thead>
          <tr className="border-b border-line">
            <th scope="col" className={`${head} text-left`}>
              Lane
            </th>
            {["Answered", "Failed", "Cancelled", "Retries", "Tokens", "Cost"].map((name) => (
              <th key={name} scope="col" className={`${head} text-right`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sums.map((row) => (
            <tr key={row.lane} className="border-b border-line last:border-b-0 hover:bg-hover/50">
              <th scope="row" className="h-7 pr-3 text-left font-normal whitespace-nowrap">
                <button type="button" className="hover:underline" onClick={() => onLane(row.lane)}>
                  {row.lane}
                </button>
              </th>
              <td className={number}>{row.responded}</td>
              <td className={number}>{row.failed}</td>
              <td className={number}>{row.cancelled}</td>
              <td className={number}>{row.retries}</td>
              <td className={number}>{tokenAmount(row.tokens)}</td>
              <td className={number}>{moneyAmount(row.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
