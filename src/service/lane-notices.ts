/**
 * Problems of a lane although its runtime works: those that the runtime itself reports, and an agent or a model that
 * its program does not know. The program is asked at start, when a lane is created or changed, and again while it
 * does not know one of them or cannot be reached.
 */

import type { Lane, Notice } from "../core/lane/lane.ts";
import { systemClock, withTimeout } from "../platform/clock.ts";
import type { AgentChoice } from "../runtimes/port.ts";
import type { Engine } from "./engine.ts";

type CheckedLane = AgentChoice & Pick<Lane, "id" | "runtime">;

export type LaneNotices = {
  /** What is known so far. Never waits for a program. */
  of(lane: Lane): readonly Notice[];
  /** The same, but gives a program that is being asked a moment to answer. */
  soon(lane: Lane): Promise<readonly Notice[]>;
  /** Asks the program now. Null if it knows the lane's agent and model, or cannot be reached. */
  check(lane: CheckedLane): Promise<Notice | null>;
};

/** How long a program may take. It may have to read a whole project first. */
const askTimeoutMs = 10_000;
const putTimeoutMs = 5000;
const soonMs = 2000;
/** An unknown name may have been configured since. */
const askAgainMs = 30_000;
const never = new AbortController().signal;

/** `notice` is undefined until the program has answered. */
type Answer = { choice: string; notice: Notice | null | undefined; at: number; pending: Promise<void> | null };

export function laneNotices({ runtimes, store }: Engine, now: () => number): LaneNotices {
  const answers = new Map<string, Answer>();
  /** One at a time: a program may start many things for each directory it is asked about. */
  let queue: Promise<void> = Promise.resolve();

  const ask = async (lane: CheckedLane, timeoutMs: number): Promise<Notice | null | undefined> => {
    const check = runtimes.get(lane.runtime)?.checkChoice?.bind(runtimes.get(lane.runtime));
    if (!check || (lane.agent === null && lane.model === null)) return null;
    try {
      return await check(lane, AbortSignal.timeout(timeoutMs));
    } catch {
      // The runtime's health reports that the program cannot be reached.
      return undefined;
    }
  };
  const answerFor = (lane: Lane): Answer => {
    const choice = choiceOf(lane);
    const known = answers.get(lane.id);
    const answer = known?.choice === choice ? known : { choice, notice: undefined, at: -Infinity, pending: null };
    answers.set(lane.id, answer);
    const isDue = answer.notice === undefined || (answer.notice !== null && now() - answer.at >= askAgainMs);
    if (isDue && answer.pending === null) {
      queue = answer.pending = queue.then(async () => {
        const notice = await ask(lane, askTimeoutMs);
        // If the program can no longer be reached, its last answer stands.
        if (notice !== undefined) answer.notice = notice;
        answer.at = now();
        answer.pending = null;
      });
    }
    return answer;
  };
  const of = (lane: Lane) => {
    const { notice } = answerFor(lane);
    return [...(runtimes.get(lane.runtime)?.notices?.(lane) ?? []), ...(notice ? [notice] : [])];
  };
  // Lanes from an earlier run are checked immediately, so that notices show before the first message.
  void store.lanes().then(
    (lanes) => void lanes.map(answerFor),
    () => {},
  );
  return {
    of,
    async soon(lane) {
      const { pending } = answerFor(lane);
      if (pending) {
        await withTimeout({ clock: systemClock, closing: never }, soonMs, () => pending).catch(() => {});
      }
      return of(lane);
    },
    check: async (lane) => (await ask(lane, putTimeoutMs)) ?? null,
  };
}

function choiceOf({ runtime, agent, model, directory }: Lane): string {
  return JSON.stringify([runtime, agent, model, directory]);
}
