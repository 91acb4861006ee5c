/**
 * Reads the sessions that may contain the prompts of a delivery whose record was lost: those that the store knows for
 * its lane, or all that the agent program has in the lane's directory. `core/proof` decides which prompts count.
 */

import type { Attempt } from "../core/delivery/attempt.ts";
import { deliveryId } from "../core/delivery/attempt.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { FoundPrompt } from "../core/proof/find-prompts.ts";
import {
  attemptsById,
  attemptsByMarker,
  attemptsInDirectory,
  derivedIds,
  promptsIn,
  withoutGaps,
} from "../core/proof/find-prompts.ts";
import { withTimeout } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { LaneStore } from "../store/port.ts";
import type { Reading } from "./read-transcript.ts";
import { readSlice, requestText } from "./read-transcript.ts";

type Search = Reading & { runtime: Runtime; store: Pick<LaneStore, "sessions" | "lanes"> };

/** Throws if a session cannot be read: it may contain the prompt. */
export async function findAttempts(record: DeliveryRecord, search: Search): Promise<Attempt[]> {
  const { store, lane, runtime } = search;
  const idsFrom = (digest: string) => runtime.idsFrom(digest);
  const found = new Map<number, Attempt>();
  for (const { sessionId, generation } of await store.sessions(lane.id)) {
    const prompts = await knownPrompts(sessionId, search);
    const attempts = runtime.traits.takesIds
      ? attemptsById(prompts, derivedIds(record.id, [generation], idsFrom), record, idsFrom)
      : attemptsByMarker(prompts, () => generation, record, idsFrom, found.size);
    for (const attempt of attempts) found.set(attempt.number, attempt);
  }
  return withoutGaps([...found.values()], record, idsFrom);
}

/**
 * For a message that may be older than the store, whose prompt may be in a session unknown to the store. "unreadable"
 * if the agent program cannot list its sessions. Throws if they currently cannot be listed, or one of them cannot be
 * read.
 */
export async function findAttemptsInDirectory(
  record: DeliveryRecord,
  search: Search,
): Promise<Attempt[] | "unreadable"> {
  const { store, lane, runtime, policy } = search;
  const list = runtime.sessionsIn?.bind(runtime);
  if (!list) return "unreadable";
  // A prompt is not older than its message, and neither is its session.
  const since = record.messageTimestamp - clockToleranceMs;
  const listed = await withTimeout(search, policy.observeLimitMs, (signal) => list(lane, signal, since));
  const generations = new Map((await store.sessions(lane.id)).map((one) => [one.sessionId, one.generation]));
  const others = (await store.lanes()).filter(({ id, runtime: kind }) => id !== lane.id && kind === lane.runtime);
  const ofOthers = (await Promise.all(others.map(({ id }) => store.sessions(id)))).flat();
  const known = new Set([...generations.keys(), ...ofOthers.map(({ sessionId }) => sessionId)]);
  const inUnknown: FoundPrompt[] = [];
  for (const id of listed) if (!known.has(id)) inUnknown.push(...(await unknownPrompts(id, search)));
  const inKnown: FoundPrompt[] = [];
  for (const id of generations.keys()) inKnown.push(...(await knownPrompts(id, search)));
  const { messageId } = record;
  return attemptsInDirectory(record, {
    generations,
    inKnown,
    inUnknown,
    request: { text: await requestText(record, search), since },
    otherDeliveries: others.map(({ id, team, member }) => deliveryId({ team, member, laneId: id, messageId })),
    takesIds: runtime.traits.takesIds,
    idsFrom: (digest) => runtime.idsFrom(digest),
  });
}

/** The clock of an agent program, or of its file system, may be a little behind. */
const clockToleranceMs = 60_000;

async function knownPrompts(sessionId: string, search: Search): Promise<FoundPrompt[]> {
  return promptsIn(sessionId, (await readSlice(sessionId, null, search)).rows);
}

/** The session may belong to anyone: its usage is not counted, and the lane does not follow its events. */
async function unknownPrompts(sessionId: string, search: Search): Promise<FoundPrompt[]> {
  const { lane, runtime, policy } = search;
  const reader: Lane = { ...lane, sessionId: lane.sessionId ?? "" };
  const read = (signal: AbortSignal) => runtime.read(reader, sessionId, null, signal);
  return promptsIn(sessionId, (await withTimeout(search, policy.observeLimitMs, read)).rows);
}
