/**
 * What a person's stop does to a lane, whatever the lane is doing: waiting, sending or running. Pure.
 *
 * A message that was not sent is cancelled, and so never sent. A sent one is cancelled and aborted: immediately if
 * its turn is running, otherwise as soon as it is seen to have arrived (`decide`).
 */
import type { DeliveryRecord } from "../delivery/record.ts";
import { openStatuses } from "../delivery/record.ts";
import type { Lane } from "../lane/lane.ts";
import type { Source } from "../message/message.ts";
import { decideHead } from "./submission.ts";

export type StopInput = {
  lane: Lane;
  /** The delivery that holds the lane. */
  holder: DeliveryRecord | null;
  /** Those that wait for their turn, oldest first. */
  waiting: readonly DeliveryRecord[];
  /** Also stops the messages from this source that wait behind the current one; null leaves them. */
  alsoWaiting: Source | null;
  now: number;
};

export type StopPlan = {
  /** Ids, in this order, so that none of them is sent because another one ended. */
  cancel: readonly string[];
  /** An answered delivery whose follow-up is dropped. */
  endFollowUp: string | null;
};

export function decideStop(input: StopInput): StopPlan {
  const { holder, waiting, alsoWaiting } = input;
  const current = holder ?? aboutToBeSent(input);
  const behind = waiting.filter(({ id, source }) => id !== current?.id && source === alsoWaiting);
  const cancelled = current && isStoppable(current) ? [...behind.toReversed(), current] : behind.toReversed();
  return {
    cancel: cancelled.map(({ id }) => id),
    endFollowUp: current && awaitsFollowUp(current) ? current.id : null,
  };
}

/** The head of a free lane may already be in progress: a session is being opened for it, or it is being retried. */
function aboutToBeSent({ lane, waiting: [head], now }: StopInput): DeliveryRecord | null {
  if (!head) return null;
  const next = decideHead(head, lane, now);
  return next === "wait" || next === "expire" ? null : head;
}

function isStoppable({ status }: DeliveryRecord): boolean {
  return status === "pending" || openStatuses.includes(status);
}

/** It is answered, and a follow-up may still be sent. */
function awaitsFollowUp({ status, turnEndedAt, nextAttempt, claims }: DeliveryRecord): boolean {
  return status === "responded" && turnEndedAt === null && (nextAttempt !== null || claims !== null);
}
