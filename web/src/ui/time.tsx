/** Times relative to now, exact on hover. */
import { useSyncExternalStore } from "react";

type Tick = { subscribe(listener: () => void): () => void; now(): number };

/** One timer for all subscribers, and none without subscribers. */
function ticker(everyMs: number): Tick {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  let now = Date.now();
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    now: () => now,
    subscribe(listener) {
      listeners.add(listener);
      if (timer === null) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}

/** Making a formatter takes longer than anything that is done with it. */
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const clockFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

const seconds = ticker(1000);
const halfMinutes = ticker(20_000);

export function useNow(every: "second" | "half-minute" = "second"): number {
  const tick = every === "second" ? seconds : halfMinutes;
  return useSyncExternalStore(tick.subscribe, tick.now);
}

export function durationWords(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (ms < 1000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 > 0 ? `${s % 60} s` : ""}`.trim();
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

export function relativeTime(at: number, now: number): string {
  const ago = now - at;
  const size = Math.abs(ago);
  if (size < 10_000) return "now";
  const words =
    size < 60_000
      ? `${Math.round(size / 1000)} s`
      : size < 3_600_000
        ? `${Math.round(size / 60_000)} min`
        : size < 86_400_000
          ? `${Math.round(size / 3_600_000)} h`
          : `${Math.round(size / 86_400_000)} d`;
  return ago >= 0 ? `${words} ago` : `in ${words}`;
}

export function exactTime(at: number): string {
  return exactFormat.format(at);
}

export function dayName(at: number): string {
  return dayFormat.format(at);
}

export function clockTime(at: number): string {
  return clockFormat.format(at);
}

export function timeOf(at: string | number): number {
  return typeof at === "number" ? at : Date.parse(at);
}

/** "3 min ago", kept up to date. */
export function RelativeTime({ at, className = "" }: { at: string | number; className?: string }) {
  const now = useNow("half-minute");
  const time = timeOf(at);
  return (
    <time dateTime={new Date(time).toISOString()} title={exactTime(time)} className={className}>
      {relativeTime(time, Math.max(now, time))}
    </time>
  );
}

/** "14:05". */
export function ClockTime({ at, className = "" }: { at: string | number; className?: string }) {
  const time = timeOf(at);
  return (
    <time dateTime={new Date(time).toISOString()} title={exactTime(time)} className={className}>
      {clockTime(time)}
    </time>
  );
}

/** The elapsed time, counting up. */
export function Elapsed({ since }: { since: string | number }) {
  const now = useNow("second");
  const time = timeOf(since);
  return (
    <span title={`since ${exactTime(time)}`} className="tabular-nums">
      {durationWords(Math.max(1000, now - time))}
    </span>
  );
}

/** The remaining time, counting down. */
export function Countdown({ until }: { until: string | number }) {
  const now = useNow("second");
  const left = timeOf(until) - now;
  return (
    <span title={exactTime(timeOf(until))} className="tabular-nums">
      {left <= 0 ? "now" : `in ${durationWords(Math.max(1000, left))}`}
    </span>
  );
}
