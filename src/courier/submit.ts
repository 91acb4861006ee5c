/**
 * Makes the next attempt of a delivery: finds its session and commits the event with its ids, which then sends it. A
 * request leaves only after its ids are durable.
 */

import { decideSession, nextAttempt, submitEvents, watchBlocked } from "../core/decision/submission.ts";
import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { nextReconcileAt } from "../core/delivery/schedule.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { TranscriptSlice } from "../core/transcript/transcript.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { withTimeout } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import { abortTurn } from "./abort-turn.ts";
import { commitEvents, commitFailure } from "./commit-events.ts";
import { promptFiles } from "./prompt-files.ts";
import { readSlice } from "./read-transcript.ts";
import type { StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";

type OpenSession = { outcome: "open"; lane: Lane; slice: TranscriptSlice };
type NoSession = { outcome: "not_now" | "impossible"; reason: string };
type Prepared = { outcome: "ready"; lane: Lane; events: readonly DeliveryEvent[] } | NoSession;

export async function submit(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  // Checked before preparing, which may open a session or end one.
  if (step.isHeld()) return "rests";
  if (record.status === "pending" && step.turnLimit?.admits(record) === false) return "rests";
  const prepared = await prepare(record, step);
  const at = step.clock.now();
  switch (prepared.outcome) {
    case "ready":
      if (await step.limits?.stops(step.lane)) return "rests";
      step.wakeUps.follow(prepared.lane);
      return commitEvents(record, prepared.events, { ...step, lane: prepared.lane });
    case "impossible":
      return record.status === "responded"
        ? commitEvents(record, [followUpDropped(record, at)], step)
        : commitFailure(record, prepared.reason, step);
    case "not_now": {
      if (record.status === "pending") return postpone(step, prepared.reason);
      const reconcileAt = nextReconcileAt(record, step.policy, at);
      const nothing = { observed: null, reason: null, found: false, missed: false };
      return commitEvents(record, [{ type: "reconciled", at, ...nothing, reconcileAt }], step);
    }
    default:
      return prepared satisfies never;
  }
}

async function prepare(record: DeliveryRecord, step: StepContext): Promise<Prepared> {
  const { lane, runtimes, store } = step;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return { outcome: "not_now", reason: "runtime_not_active" };
  const message = await store.message({ kind: "lane", lane: lane.id }, record.messageId);
  if (!message) return { outcome: "impossible", reason: "message_gone" };
  if (message.attachments.length > 0) {
    const files = await promptFiles(message, record.nextAttempt?.kind ?? "prompt", runtime, step.attachments);
    if (files.outcome === "impossible") return files;
  }
  if (message.system !== undefined && !runtime.traits.takesSystem) {
    return { outcome: "impossible", reason: "system_not_supported" };
  }
  try {
    const session = await openSession(record, runtime, step);
    if (session.outcome !== "open") return session;
    return { outcome: "ready", lane: session.lane, events: await eventsFor(record, session, runtime, step) };
  } catch (error) {
    return { outcome: "not_now", reason: messageOf(error) };
  }
}

async function eventsFor(
  record: DeliveryRecord,
  { lane, slice }: OpenSession,
  runtime: Runtime,
  step: StepContext,
): Promise<DeliveryEvent[]> {
  const { clock, policy, runId } = step;
  const attempt = nextAttempt(record, lane, slice, (digest) => runtime.idsFrom(digest));
  // After a restore the ledger may be older than the transcript. Retries are rare, so they are worth a full read.
  const readsAll = attempt.number > 1 && !slice.complete;
  const { rows } = readsAll ? await readSlice(slice.sessionId, null, { ...step, lane, runtime }) : slice;
  const isThere = rows.some((row) => row.id === attempt.messageId);
  return submitEvents({ record, attempt, isThere, runtimeKind: runtime.kind, runId, policy, at: clock.now() });
}

/** The delivery stays as it is, and releases its lane. */
function followUpDropped({ nextAttempt: next }: DeliveryRecord, at: number): DeliveryEvent {
  return { type: "turn_ended", at, diagnostics: next ? [`${next.kind}_not_asked`] : [] };
}

/** Makes it very likely to find a prompt that the session already has but a restored ledger does not know. */
const fartherBack = 4;

/** The session that a prompt goes to: the lane's own, or a new one if `decideSession` says so. */
async function openSession(
  record: DeliveryRecord,
  runtime: Runtime,
  step: StepContext,
): Promise<OpenSession | NoSession> {
  const { lane, policy, clock, sessions } = step;
  const { sessionId } = lane;
  if (sessionId === null) return newSession(runtime, step);
  const read = () => readSlice(sessionId, fartherBack * policy.readLimit, { ...step, runtime });
  const slice = await read();
  const blocked = watchBlocked(sessions.blocked.get(sessionId), slice, clock.now());
  const decision = decideSession({ record, slice, blocked, policy });
  const isBlocked = decision.do === "abort_and_replace" || (decision.do === "wait" && slice.asks.length === 0);
  if (isBlocked) sessions.blocked.set(sessionId, blocked);
  else sessions.blocked.delete(sessionId);
  switch (decision.do) {
    case "use":
      return { outcome: "open", lane, slice };
    case "replace":
      return newSession(runtime, step);
    case "abort_and_replace": {
      await abortTurn(lane, sessionId, step);
      const { status } = await read();
      if (status !== "idle" && status !== "stale") {
        sessions.blocked.set(sessionId, { ...blocked, aborts: blocked.aborts + 1 });
        return { outcome: "not_now", reason: "abort_did_not_stop_the_session" };
      }
      sessions.blocked.delete(sessionId);
      return newSession(runtime, step);
    }
    case "leave_and_replace":
      step.onError({ laneId: lane.id, error: sessionLeftBusy(lane, sessionId) });
      return newSession(runtime, step);
    case "wait":
      return { outcome: "not_now", reason: decision.reason };
    case "give_up":
      return { outcome: "impossible", reason: decision.reason };
    default:
      return decision satisfies never;
  }
}

function sessionLeftBusy(lane: Lane, sessionId: string): AppError {
  return new AppError({
    code: "session_left_busy",
    message: `Session "${sessionId}" of lane "${lane.id}" stays busy after two aborts. The lane continues in a new one.`,
    hint: "Check the session in its agent program, and end it there if it is still working.",
  });
}

async function newSession(runtime: Runtime, step: StepContext): Promise<OpenSession> {
  const { lane, store, clock, policy, sessions } = step;
  const open = (signal: AbortSignal) => runtime.openSession(lane, signal);
  const sessionId = sessions.unstored.get(lane.id) ?? (await withTimeout(step, policy.submitLimitMs, open));
  sessions.unstored.set(lane.id, sessionId);
  const opened = await store.openSession(lane.id, sessionId, clock.now());
  sessions.unstored.delete(lane.id);
  return { outcome: "open", lane: opened, slice: { ...emptySlice, sessionId } };
}

const emptySlice: Omit<TranscriptSlice, "sessionId"> = {
  status: "idle",
  asks: [],
  rows: [],
  complete: true,
  lastActivityAt: null,
};
