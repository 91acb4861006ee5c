/** What one turn cost, from the events of its lane. Pure. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";

/** `events` newest first; `prompt` names what the turn answers. Null when they do not tell. */
export function turnCost(events: readonly UniversalEvent[], prompt: string | null): number | null {
  const begun = events.find((event) => event.type === "turn.started" && event.data.prompt === prompt);
  if (!begun) return null;
  const usages = events.flatMap((event) =>
    event.type === "usage" && event.turn === begun.turn && event.session === begun.session ? [event.data] : [],
  );
  // What the whole turn used repeats what its messages used.
  const whole = usages.find(({ of }) => of === "turn");
  const counted = whole ? [whole] : usages;
  const costs = counted.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}
