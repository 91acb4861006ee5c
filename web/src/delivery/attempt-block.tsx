/** An attempt: its reason, its session, where its time went, and each step. */
import { CopyButton } from "../ui/copy-button.tsx";
import type { Tone } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { durationWords, exactTime, RelativeTime, timeOf } from "../ui/time.tsx";
import type { AttemptGroup, Step } from "./attempt-groups.ts";
import { attemptWords, eventTone } from "./state-words.ts";
import { TimingBar } from "./timing-bar.tsx";

type AttemptBlockProps = { group: Extract<AttemptGroup, { type: "attempt" }>; isOpen: boolean };

/** `isOpen`: something of it is still to come. */
export function AttemptBlock({ group: { attempt, steps }, isOpen }: AttemptBlockProps) {
  const { number, sends, sessionId, runtimeMessageId, submittedAt, lastActivityAt } = attempt;
  return (
    <section aria-label={`Attempt ${number}`} className="rounded-md border border-line">
      <header className="border-b border-line px-3 py-2">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <h3 className="font-semibold">Attempt {number}</h3>
          <span className="text-muted">{attemptWords(attempt)}</span>
          {sends > 1 && <span className="text-sm text-faint">sent {sends} times under the same ids</span>}
          <span className="ml-auto text-sm text-faint">
            {isOpen && lastActivityAt !== null ? (
              <>
                last sign of life <RelativeTime at={lastActivityAt} />
              </>
            ) : (
              <RelativeTime at={submittedAt} />
            )}
          </span>
        </div>
        <div className="mt-1.5">
          <TimingBar attempt={attempt} isOpen={isOpen} />
        </div>
        <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-sm text-faint">
          <IdRow name="Session" id={sessionId} />
          <IdRow name="Prompt" id={runtimeMessageId} />
        </dl>
      </header>
      <Steps steps={steps} />
    </section>
  );
}

function IdRow({ name, id }: { name: string; id: string }) {
  return (
    <div className="contents">
      <dt>{name}</dt>
      <dd className="flex items-center gap-2">
        <code className="min-w-0 grow truncate font-mono text-xs text-muted" title={id}>
          {exactText(id)}
        </code>
        <CopyButton text={id} />
      </dd>
    </div>
  );
}

export function WaitingBlock({ group: { isRetried, steps } }: { group: Extract<AttemptGroup, { type: "waiting" }> }) {
  const title = isRetried ? "Retried by a person" : "Before it was sent";
  const [first] = steps;
  return (
    <section aria-label={title} className="rounded-md border border-line">
      <header className="flex items-baseline gap-2 border-b border-line px-3 py-1.5">
        <h3 className="grow font-semibold">{title}</h3>
        {first && <RelativeTime at={first.row.at} className="text-sm text-faint" />}
      </header>
      <Steps steps={steps} />
    </section>
  );
}

function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0)
    return <p className="px-3 py-2 text-muted">Found in the transcript. Its steps are not kept.</p>;
  return (
    <ol className="flex flex-col gap-1 px-3 py-2">
      {steps.map((step) => (
        <StepRow key={step.key} step={step} />
      ))}
    </ol>
  );
}

const dots: Record<Tone, string> = {
  plain: "bg-line-strong",
  busy: "bg-busy",
  wait: "bg-wait",
  bad: "bg-bad",
  good: "bg-good",
};

function StepRow({ step: { row, times, until } }: { step: Step }) {
  const tone = eventTone(row.event);
  const isDueLater = row.event === "retry_scheduled" && row.next !== null && timeOf(row.next) > timeOf(row.at);
  return (
    <li className="grid grid-cols-[3.5rem_0.5rem_minmax(0,1fr)] items-baseline gap-x-2" title={row.event}>
      <StepTime at={row.at} />
      <span className={`size-1.5 -translate-y-0.5 justify-self-center rounded-full ${dots[tone]}`} aria-hidden="true" />
      <div className="wrap-anywhere">
        <span className={tone === "bad" ? "text-bad" : ""}>{exactText(row.why)}</span>
        <span className="text-muted">
          {row.by !== null && ` By ${exactText(row.by)}.`}
          {times > 1 && ` Seen ${times} times in ${durationWords(timeOf(until) - timeOf(row.at))}.`}
          {isDueLater && row.next !== null && ` Due after ${durationWords(timeOf(row.next) - timeOf(row.at))}.`}
        </span>
        <Observed row={row} />
      </div>
    </li>
  );
}

/** The observed rows and tools; the verdict is shown above. */
function Observed({ row: { observed } }: { row: Step["row"] }) {
  const { toolNames = [], assistantMessageId: agentRow = null, diagnostics = [] } = observed ?? {};
  if (toolNames.length === 0 && agentRow === null && diagnostics.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-faint">
      {toolNames.length > 0 && <span>tools {toolNames.map(exactText).join(", ")}</span>}
      {agentRow !== null && (
        <span>
          row <code className="font-mono text-xs">{exactText(agentRow)}</code>
        </span>
      )}
      {diagnostics.map((note) => (
        <span key={note}>{exactText(note.replaceAll("_", " "))}</span>
      ))}
    </p>
  );
}

/** With seconds, because steps follow each other quickly. */
function StepTime({ at }: { at: string }) {
  const time = timeOf(at);
  return (
    <time dateTime={at} title={exactTime(time)} className="text-sm whitespace-nowrap text-faint tabular-nums">
      {new Date(time).toLocaleTimeString(undefined, { ...clock, hourCycle: "h23" })}
    </time>
  );
}

const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
