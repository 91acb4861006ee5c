/** Durations of steps, which may be short. Pure. */
import { durationWords } from "../ui/time.tsx";

export function stepDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : durationWords(ms);
}
