/** What one turn cost, from the events of its lane. Pure. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";

/** `events` newest first; `prompt` is the id of the turn's prompt. Null if the cost is unknown. */
export function turnCost(events: readonly UniversalEvent[], prompt: string | null): number | null {
  const begun = events.find((event) => event.type === "turn.started" && event.data.prompt === prompt);
  if (!begun) return null;
  const usages = events.flatMap((event) =>
    event.type === "usage" && event.turn === begun.turn && event.session === begun.session ? [event.data] : [],
  );
  // The usage of the whole turn already includes that of its messages.
  const whole = usages.find(({ of }) => of === "turn");
  const counted = whole ? [whole] : usages;
  const costs = counted.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}
