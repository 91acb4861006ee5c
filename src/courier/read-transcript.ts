/**
 * Reads what an observation needs: a short slice of each session that an attempt went to, and one full read where
 * the slice does not reach back to the prompt. The cost does not grow with the session in the common case.
 */
import { messageOf } from "../app-error.ts";
import type { TimeoutContext } from "../clock.ts";
import { withTimeout } from "../clock.ts";
import type { Policy } from "../core/delivery/policy.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { dayOf } from "../core/lane/daily-limit.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Observation } from "../core/proof/observation.ts";
import { unobserved, unreadable } from "../core/proof/observation.ts";
import { observe } from "../core/proof/observe.ts";
import type { TranscriptSlice, UsedBelow } from "../core/transcript/transcript.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Store } from "../store/port.ts";
import type { AskRegistry } from "./ask-registry.ts";

export type Reading = TimeoutContext & { lane: Lane; runtime: Runtime | undefined; policy: Policy; store: Store };

export async function readObservation(
  record: DeliveryRecord,
  reading: Reading & { asks: AskRegistry },
): Promise<Observation> {
  const { runtime, policy } = reading;
  if (record.attemptList.length === 0) return unobserved;
  if (!runtime) return unreadable("runtime_not_active");
  const sessions = [...new Set(record.attemptList.map((attempt) => attempt.sessionId))];
  const look = async (limit: number | null) => {
    const slices = await Promise.all(sessions.map((session) => readSlice(session, limit, { ...reading, runtime })));
    reading.asks.observed(
      record,
      slices.flatMap((slice) => slice.asks),
      reading.clock.now(),
    );
    return observe({
      slices,
      attempts: record.attemptList,
      messageId: record.messageId,
      replyRecipient: record.replyRecipient,
      takesIds: runtime.traits.takesIds,
    });
  };
  try {
    const limited = await look(policy.readLimit);
    return limited.needsFullHistory ? await look(null) : limited;
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** Every read also counts what the agent has used, so that none of it is missed. */
export async function readSlice(
  sessionId: string,
  limit: number | null,
  reading: Reading & { runtime: Runtime },
): Promise<TranscriptSlice> {
  const { lane, runtime, policy, store } = reading;
  const read = (signal: AbortSignal) => runtime.read(lane, sessionId, limit, signal);
  const slice = await withTimeout(reading, policy.observeLimitMs, read);
  const used = usageIn(slice);
  if (used.length > 0) {
    const entries = used.map(({ createdAt, ...entry }) => ({ ...entry, day: dayOf(createdAt) }));
    await store.countUsage(lane.id, entries);
  }
  return slice;
}

/** By the runtime's own messages, those of subtasks included. */
export function usageIn({ rows, usedBelow = [] }: TranscriptSlice): UsedBelow[] {
  const used = [...usedBelow];
  for (const { id, createdAt, usage } of rows) if (usage) used.push({ messageId: id, createdAt, ...usage });
  return used;
}
