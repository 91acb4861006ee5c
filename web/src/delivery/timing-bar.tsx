/** Where the time of an attempt went, as a bar and in words. */
import { useNow } from "../ui/time.tsx";
import type { Attempt } from "./attempt-groups.ts";
import { stepDuration } from "./step-duration.ts";
import type { Mark, Segment } from "./timing-segments.ts";
import { timingSegments } from "./timing-segments.ts";

const looks: Record<Mark, { className: string; name: string; running: string }> = {
  stored: { className: "bg-faint", name: "stored", running: "on its way" },
  first_token: { className: "bg-wait", name: "first token", running: "waiting for the first token" },
  finished: { className: "bg-busy", name: "finished", running: "working" },
  proven: { className: "bg-good", name: "proven", running: "being judged" },
};

export function TimingBar({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  return isOpen ? <RunningBar attempt={attempt} /> : <Bar segments={timingSegments(attempt, null)} />;
}

function RunningBar({ attempt }: { attempt: Attempt }) {
  return <Bar segments={timingSegments(attempt, useNow("second"))} />;
}

function Bar({ segments }: { segments: readonly Segment[] }) {
  if (segments.length === 0) return <p className="text-sm text-faint">Its times are not known.</p>;
  return (
    <div>
      <div className="flex h-1.5 gap-px overflow-hidden rounded-sm bg-sunken" aria-hidden="true">
        {segments.map(({ mark, share, isOpen }) => (
          <div
            key={mark}
            className={`${looks[mark].className} ${isOpen ? "animate-pulse opacity-60" : ""}`}
            style={{ width: `${share}%` }}
          />
        ))}
      </div>
      <ul aria-label="Timings of this attempt" className="mt-1 flex flex-wrap gap-x-3 text-sm text-muted tabular-nums">
        {segments.map(({ mark, ms, afterMs, isOpen }) => (
          <li
            key={mark}
            className="inline-flex items-baseline gap-1.5"
            title={`${stepDuration(afterMs)} after it was sent`}
          >
            <span className={`size-2 rounded-sm ${looks[mark].className}`} aria-hidden="true" />
            {isOpen ? looks[mark].running : looks[mark].name} <span className="text-ink">{stepDuration(ms)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
