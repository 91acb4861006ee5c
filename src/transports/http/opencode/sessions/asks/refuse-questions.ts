/**
 * For a client that has said of its session that nobody there can answer questions, as `opencode run` does: while it
 * waits for an answer to its prompt, a question would keep it waiting for good, and is refused on its behalf.
 */
import type { Clock } from "../../../../../clock.ts";
import type { Desk } from "../../../../port.ts";
import { pause } from "../pause.ts";

type Deps = { desk: Pick<Desk, "asks" | "answer" | "followEvents">; clock: Clock };
/** `after` is a cursor from before the prompt was sent: its agent may ask at once. */
type Asking = { lane: string; after: string; signal: AbortSignal };

/** An ask is told of a moment before the next look at the agent finds it, and can be answered. */
const untilFoundMs = 250;
const mostLooks = 120;

/** Goes on until `signal` is aborted. */
export async function refuseQuestions({ desk, clock }: Deps, { lane, after, signal }: Asking): Promise<void> {
  for await (const told of desk.followEvents({ after, lane, signal })) {
    if (told.type !== "event" || told.event.type !== "question.requested") continue;
    const { ask } = told.event.data;
    if (await isFound({ desk, clock }, ask, signal)) await desk.answer(ask, { decision: "reject" });
  }
}

async function isFound({ desk, clock }: Deps, ask: string, signal: AbortSignal): Promise<boolean> {
  for (let look = 0; look < mostLooks && !signal.aborted; look++) {
    if ((await desk.asks()).some(({ id }) => id === ask)) return true;
    await pause(clock, untilFoundMs, signal);
  }
  return false;
}
