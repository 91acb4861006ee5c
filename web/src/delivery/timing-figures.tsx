/** How long each step took, from the moment the message was saved. */
import type { ReactNode } from "react";
import type { DeliveryDetail } from "waybill/client";
import { hasOutcome } from "waybill/client";
import { Elapsed } from "../ui/time.tsx";
import { stepDuration } from "./step-duration.ts";
import { timingSummary } from "./timing-summary.ts";

export function TimingFigures({ detail }: { detail: DeliveryDetail }) {
  const { sent, accepted, firstToken, proven } = timingSummary(detail);
  const { attempts, maxAttempts, repairs, createdAt } = detail;
  const isOpen = !hasOutcome(detail);
  const value = (ms: number | null) =>
    ms === null ? <span className="text-muted">{isOpen ? "not yet" : "not known"}</span> : stepDuration(ms);
  return (
    <dl
      aria-label="Timings"
      className="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line sm:grid-cols-5"
    >
      <Figure name="Attempts" title="Attempts made, of those allowed">
        {attempts} of {maxAttempts}
        {repairs > 0 && <span className="text-sm text-muted"> and {repairs} to repair the session</span>}
      </Figure>
      <Figure name="To the first send">{value(sent)}</Figure>
      <Figure name="To accept" title="Until the agent program had the prompt">
        {value(accepted)}
      </Figure>
      <Figure name="To the first token" title="Until the first word, thought or tool call">
        {value(firstToken)}
      </Figure>
      <Figure name={isOpen ? "Open for" : "To proof"}>
        {isOpen ? (
          <Elapsed since={createdAt} />
        ) : proven === null ? (
          <span className="text-muted">none</span>
        ) : (
          value(proven)
        )}
      </Figure>
    </dl>
  );
}

function Figure({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div className="bg-surface px-3 py-1.5 last:col-span-2 sm:last:col-span-1" title={title}>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-lg tabular-nums">{children}</dd>
    </div>
  );
}
