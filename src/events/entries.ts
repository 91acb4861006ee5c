/** Events on their way, many of them. Pure. */
import type { Entry } from "./lane-log.ts";

/** Those of each lane in their order. */
export function byLane(entries: readonly Entry[]): Entry[][] {
  const lanes = new Map<string, Entry[]>();
  for (const entry of entries) {
    const own = lanes.get(entry.event.lane);
    if (own) own.push(entry);
    else lanes.set(entry.event.lane, [entry]);
  }
  return [...lanes.values()];
}

export function charactersIn(entries: readonly Entry[]): number {
  return entries.reduce((sum, { text }) => sum + text.length, 0);
}
