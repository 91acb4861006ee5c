/** A turn: what the agent said, thought and did, as it happens and afterwards. */
import { memo, useState } from "react";
import type { Message } from "waybill/client";
import type { ShownItem, Turn } from "../live/turns.ts";
import { Icon } from "../ui/icon.tsx";
import { Note } from "../ui/note.tsx";
import { exactText, proseText } from "../ui/safe-text.ts";
import { ClockTime, durationWords, Elapsed } from "../ui/time.tsx";
import { asksWithoutCall, questionsByCall } from "./parts/asked-questions.ts";
import { FileChange } from "./parts/file-change.tsx";
import { JsonDetails } from "./parts/json-details.tsx";
import { Plan } from "./parts/plan.tsx";
import { QuestionCall } from "./parts/question-call.tsx";
import { Reasoning } from "./parts/reasoning.tsx";
import { ToolCall } from "./parts/tool-call.tsx";
import { Words } from "./parts/words.tsx";
import type { TurnEntry } from "./timeline.ts";
import type { Step } from "./turn-steps.ts";
import { stepsOf } from "./turn-steps.ts";

/** Of a finished turn; older steps are folded. */
const shownSteps = 6;

export const TurnBlock = memo(function TurnBlock({ entry, agent }: { entry: TurnEntry; agent: string }) {
  const { turn, answers } = entry;
  const [isUnfolded, setUnfolded] = useState(turn.reason === null);
  const steps = stepsOf(turn.items, questionsByCall(turn));
  const folded = isUnfolded ? 0 : Math.max(0, steps.length - shownSteps);
  return (
    <article aria-label={`Turn ${turn.number} of ${agent}`} aria-busy={turn.reason === null} className="px-4 py-2">
      <TurnHeader entry={entry} agent={agent} steps={steps.length} />
      <div className="mt-1 flex flex-col gap-1.5 border-l-2 border-line pl-3">
        {folded > 0 && (
          <button type="button" className="self-start text-sm text-accent underline" onClick={() => setUnfolded(true)}>
            Show {folded} earlier {folded === 1 ? "step" : "steps"}
          </button>
        )}
        {steps.slice(folded).map((step) => (
          <StepBlock key={step.key} step={step} answers={answers} />
        ))}
        {asksWithoutCall(turn).map(({ id, title }) => (
          <p key={id} className="flex items-center gap-1.5 text-sm text-muted">
            <Icon name="hand" className="size-3.5" />
            <span className="min-w-0 truncate">{exactText(title)}</span>
            {turn.askOutcomes.has(id) ? (
              <span>{turn.askOutcomes.get(id)?.outcome}</span>
            ) : (
              <span className="text-wait">waiting for you</span>
            )}
          </p>
        ))}
        {turn.errors.map(({ message, at }) => (
          <Note key={`${at} ${message}`} tone="bad">
            <span className="wrap-anywhere">{proseText(message)}</span>
          </Note>
        ))}
        {turn.reason === "completed" && steps.length === 0 && (
          <p className="text-sm text-muted">The agent said nothing.</p>
        )}
        {turn.reason === null && <Working turn={turn} steps={steps} />}
      </div>
    </article>
  );
});

function TurnHeader({ entry: { turn, attempt }, agent, steps }: { entry: TurnEntry; agent: string; steps: number }) {
  const { startedAt, endedAt, reason, usage } = turn;
  const again = attempt !== null && attempt.number > 1;
  return (
    <header className="flex flex-wrap items-baseline gap-x-2 text-sm text-faint">
      <span className="text-base font-semibold text-ink">{agent}</span>
      <ClockTime at={startedAt} />
      {again && (
        <span className="text-wait">
          {attempt.kind === "retry" ? `asked again, attempt ${attempt.number}` : `attempt ${attempt.number}`}
        </span>
      )}
      {endedAt !== null && <span>{durationWords(endedAt - startedAt)}</span>}
      {steps > 1 && endedAt !== null && <span>{steps} steps</span>}
      {usage && usage.tokens > 0 && <span title={usage.model ?? undefined}>{compact(usage.tokens)} tokens</span>}
      {usage?.cost ? <span>${usage.cost.toFixed(usage.cost < 0.1 ? 4 : 2)}</span> : null}
      {reason !== null && reason !== "completed" && <span className="text-bad">{endWords[reason]}</span>}
    </header>
  );
}

const endWords = { error: "ended with an error", aborted: "stopped", interrupted: "cut off" } as const;

function compact(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

/** Always shown while the turn runs, so that nothing jumps when text arrives. */
function Working({ turn, steps }: { turn: Turn; steps: readonly Step[] }) {
  const last = steps.at(-1);
  const waits = turn.asks.some(({ id }) => !turn.askOutcomes.has(id));
  const doing = waits
    ? "Waiting for you"
    : last?.type === "tool" && last.result?.endedAt == null
      ? `Running ${exactText(last.call.name ?? "a tool")}`
      : "Working";
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      <span className={`size-1.5 rounded-full ${waits ? "bg-wait" : "animate-pulse bg-busy"}`} aria-hidden="true" />
      {doing} <Elapsed since={turn.startedAt} />
    </p>
  );
}

type StepProps = { step: Step; answers: ReadonlyMap<string, Message> };

const StepBlock = memo(function StepBlock({ step, answers }: StepProps) {
  switch (step.type) {
    case "text":
      return (
        <Words item={step.item} text={step.text} answer={step.isLast ? (answers.get(step.item.id) ?? null) : null} />
      );
    case "reasoning":
      return <Reasoning text={step.text} isLive={step.item.endedAt === null} />;
    case "tool":
      return (
        <ToolCall call={step.call} result={step.result}>
          {step.below.map((below) => (
            <StepBlock key={below.key} step={below} answers={answers} />
          ))}
        </ToolCall>
      );
    case "question":
      return <QuestionCall call={step.call} result={step.result} asked={step.asked} />;
    case "files":
      return <FileChange item={step.item} />;
    case "plan":
      return <Plan item={step.item} />;
    case "image":
      return <p className="text-sm text-muted">[image {exactText(step.name ?? step.mime)}]</p>;
    case "status":
      return <StatusLine item={step.item} />;
    default:
      return step satisfies never;
  }
});

function StatusLine({ item }: { item: ShownItem }) {
  return (
    <details className="text-sm text-muted">
      <summary>{exactText(item.name ?? "status").replaceAll("_", " ")}</summary>
      <JsonDetails value={item.parts} />
    </details>
  );
}
