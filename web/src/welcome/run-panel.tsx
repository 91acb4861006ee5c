/** What happened to a demo message, step by step as the ledger records it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { DeliveryDetail } from "waybill/client";
import { WaybillError } from "waybill/client";
import { isAwaited, noticeOf, signOf } from "../conversation/delivery-sign.ts";
import { deliveryQuery } from "../live/queries.ts";
import type { IconName } from "../ui/icon.tsx";
import { Icon } from "../ui/icon.tsx";
import { Markdown } from "../ui/markdown.tsx";
import type { Tone } from "../ui/note.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { durationWords, exactTime } from "../ui/time.tsx";
import type { DemoRun } from "./demo-run.ts";
import { forgetRun } from "./demo-run.ts";
import type { DemoStep } from "./demo-steps.ts";
import { demoSteps } from "./demo-steps.ts";

const toneText: Record<Tone, string> = {
  plain: "text-muted",
  busy: "text-busy",
  wait: "text-wait",
  bad: "text-bad",
  good: "text-good",
};

export function RunPanel({ run }: { run: DemoRun }) {
  const { data, error } = useQuery(deliveryQuery(run.deliveryId));
  // A new store does not know it.
  const isGone = error instanceof WaybillError && error.code === "delivery_unknown";
  useEffect(() => {
    if (isGone) forgetRun();
  }, [isGone]);
  const steps = data ? demoSteps(data) : [];
  const begin = steps[0]?.at ?? 0;
  return (
    <section
      aria-label="Step by step"
      data-run={data?.status ?? "unknown"}
      className="rounded-md border border-line bg-raised"
    >
      <header className="border-b border-line px-3 py-2">
        <h2 className="font-semibold">Step by step</h2>
        <p className="text-sm wrap-anywhere text-muted">
          You wrote “{run.text}” to {run.lane}.
        </p>
      </header>
      {error && <ErrorNote error={error} />}
      <ol aria-live="polite" className="flex min-h-56 flex-col gap-2.5 px-3 py-2.5">
        {steps.map((step) => (
          <StepRow key={step.key} step={step} after={step.at - begin} />
        ))}
        {data && <NowRow delivery={data} />}
      </ol>
      <footer className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-3 py-2 text-sm">
        <Link
          to="/lanes/$lane"
          params={{ lane: run.lane }}
          search={{ message: run.messageId }}
          className="text-accent underline"
        >
          Open conversation
        </Link>
        <Link to="/deliveries/$id" params={{ id: run.deliveryId }} className="text-accent underline">
          See the evidence
        </Link>
      </footer>
    </section>
  );
}

function StepRow({ step: { at, tone, icon, words, why, quote }, after }: { step: DemoStep; after: number }) {
  return (
    <li data-step={words}>
      <Line tone={tone} icon={icon} words={words} why={why}>
        <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
          {after === 0 ? "0.0 s" : shortWords(after)}
        </time>
      </Line>
      {quote !== null && (
        <blockquote className="mt-1 ml-6 max-h-40 overflow-y-auto border-l-2 border-line-strong pl-2.5 text-muted">
          <Markdown text={quote} />
        </blockquote>
      )}
    </li>
  );
}

/** To a tenth of a second. */
function shortWords(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : durationWords(ms);
}

/** What it waits for; nothing once it has an outcome. */
function NowRow({ delivery }: { delivery: DeliveryDetail }) {
  if (!isAwaited(delivery)) return null;
  const isAcknowledged = delivery.replies.some(({ outcome }) => outcome === "acknowledgement");
  const sign = signOf({ delivery, isAcknowledged });
  const why =
    sign.kind === "asks"
      ? "Answer it at the top of the page. Nothing is lost or repeated while it waits."
      : (noticeOf({ delivery, isAcknowledged })?.text ?? null);
  return (
    <li>
      <Line tone={sign.tone} icon={sign.icon} words={sign.words} why={why}>
        <span className="inline-block size-1.5 animate-pulse rounded-full bg-current" role="img" aria-label="now" />
      </Line>
    </li>
  );
}

type LineProps = { tone: Tone; icon: IconName; words: string; why: string | null; children: React.ReactNode };

function Line({ tone, icon, words, why, children }: LineProps) {
  return (
    <div className="flex items-baseline gap-2">
      <Icon name={icon} className={`size-4 translate-y-0.5 ${toneText[tone]}`} />
      <div className="min-w-0 grow">
        <p className={`font-medium ${toneText[tone]}`}>{words}</p>
        {why && <p className="text-sm text-muted">{why}</p>}
      </div>
      <span className={`shrink-0 text-sm tabular-nums ${toneText[tone]}`}>{children}</span>
    </div>
  );
}

/** Before the first message: what will appear here. */
export function RunLegend() {
  const rows = [
    { tone: "plain", icon: "check", words: "Saved", why: "On disk, so it cannot be lost." },
    { tone: "busy", icon: "check", words: "Accepted", why: "By the agent program, which proves nothing yet." },
    { tone: "good", icon: "checks", words: "Answered", why: "With proof from the agent's own transcript." },
  ] as const;
  return (
    <section aria-label="What you will see" className="rounded-md border border-line bg-raised">
      <h2 className="border-b border-line px-3 py-2 font-semibold">Accepted is not answered</h2>
      <ul className="flex flex-col gap-2.5 px-3 py-2.5">
        {rows.map(({ tone, icon, words, why }) => (
          <li key={words}>
            <Line tone={tone} icon={icon} words={words} why={why}>
              {null}
            </Line>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-3 py-2 text-sm text-muted">
        Choose something to try. What happens to it appears here, live.
      </p>
    </section>
  );
}
