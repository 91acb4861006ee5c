/**
 * The only way a record changes: which events a delivery accepts in which state, and the record that results.
 *
 * Pure: no clock, no random source, no I/O. An event that does not fit is refused with a reason, never adapted. A
 * rule lists the states that accept an event and what it changes; `transition` adds the common part. The rules are in
 * three files: submission, observation, completion.
 */

import type { Lane } from "../lane/lane.ts";
import { isPaused } from "../lane/lane.ts";
import type { Attempt, AttemptTiming } from "./attempt.ts";
import { mergeTiming } from "./attempt.ts";
import type { DeliveryEvent, DeliveryEventType, Effect, ObservedFacts } from "./delivery-event.ts";
import type { DeliveryRecord } from "./record.ts";
import { addDiagnostics, isOwed, upcast } from "./record.ts";
import { quietAfter } from "./schedule.ts";
import { completionTransitions } from "./transitions/completion.ts";
import { observationTransitions } from "./transitions/observation.ts";
import { submissionTransitions } from "./transitions/submission.ts";
import type { RecordPatch, TransitionRule, TransitionRules } from "./transitions/transition-rule.ts";

export type Transitioned = { record: DeliveryRecord; effects: readonly Effect[] };
export type Refused = { refused: true; reason: string };
export type Transition = Transitioned | Refused;

const moves: TransitionRules<DeliveryEventType> = {
  // These two create a record. They are accepted only as the first event of a fold.
  admitted: { from: [], change: () => ({}) },
  rebuilt: { from: [], change: () => ({}) },
  ...submissionTransitions,
  ...observationTransitions,
  ...completionTransitions,
};

export const eventTypes = Object.keys(moves) as readonly DeliveryEventType[];

export function transition(record: DeliveryRecord, event: DeliveryEvent): Transition {
  const move = moves[event.type] as TransitionRule<DeliveryEventType>;
  if (!move.from.includes(record.status)) return refused(`${event.type}_from_${record.status}`);
  const reason = move.refuse?.(record, event) ?? null;
  if (reason !== null) return refused(reason);

  const seen: DeliveryRecord = { ...record, ...observedChange(record, event) };
  const changed: DeliveryRecord = {
    ...seen,
    ...move.change(seen, event),
    updatedAt: event.at,
    version: record.version + 1,
  };
  // A closed delivery is not reconciled again, except for the files it named. One that failed for good may be, for
  // late proof, and a waiting one for its expiry.
  const closed = (changed.status === "responded" || changed.status === "cancelled") && !isOwed(changed);
  const next = closed && changed.claims === null ? { ...changed, nextReconcileAt: null } : changed;
  return { record: next, effects: move.effects?.(next) ?? [] };
}

/** The record that results from a list of events. A refused event means that the audit was tampered with. */
export function fold(events: readonly DeliveryEvent[]): DeliveryRecord {
  const [first, ...rest] = events;
  if (first?.type !== "admitted" && first?.type !== "rebuilt")
    throw new Error("the first event of a delivery must be its admission");
  return rest.reduce((record, event) => {
    const moved = transition(record, event);
    if ("refused" in moved) throw new Error(`event ${event.type} does not fit: ${moved.reason}`);
    return moved.record;
  }, upcast(first.record));
}

function refused(reason: string): Refused {
  return { refused: true, reason };
}

function observedChange(record: DeliveryRecord, event: DeliveryEvent): RecordPatch {
  const observed: ObservedFacts | null = ("observed" in event ? event.observed : null) ?? null;
  if (observed === null) return {};
  // A failed read saw neither activity nor silence.
  if (observed.state === "reconcile_failed") return { responseState: observed.state };
  return {
    responseState: observed.state,
    quietMs: quietAfter(record, observed.lastActivityAt, event.at),
    activityAt: observed.lastActivityAt,
    lastObservedAt: event.at,
    deliveredUserMessageId: observed.deliveredUserMessageId ?? record.deliveredUserMessageId,
    observedAssistantMessageId: observed.assistantMessageId ?? record.observedAssistantMessageId,
    observedToolNames: [...new Set([...record.observedToolNames, ...observed.toolNames])],
    postPromptCursor: observed.newestRowId ?? record.postPromptCursor,
    diagnostics: addDiagnostics(record, observed.diagnostics),
    attemptList: timed(record, observed.timings),
  };
}

function timed(record: DeliveryRecord, timings: readonly AttemptTiming[] = []): readonly Attempt[] {
  return record.attemptList.map((attempt) => {
    const seen = timings.find((timing) => timing.number === attempt.number);
    return seen ? { ...attempt, ...mergeTiming(attempt, seen) } : attempt;
  });
}

/** Nothing is sent in a paused or removed lane, whatever decided to send it. */
export function applyEvents(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  lane: Pick<Lane, "pausedReason" | "teamHold"> | null,
): Transition {
  const maySend = lane !== null && !isPaused(lane);
  if (!maySend && events.some(sendsPrompt)) return { refused: true, reason: "lane_paused" };
  let current = record;
  const effects: Effect[] = [];
  for (const event of events) {
    const next = transition(current, event);
    if ("refused" in next) return next;
    current = next.record;
    effects.push(...next.effects);
  }
  return { record: current, effects };
}

/** Whether the event sends a prompt once it is durable. */
export function sendsPrompt({ type }: DeliveryEvent): boolean {
  return type === "submit" || type === "send_again" || type === "submit_follow_up";
}
