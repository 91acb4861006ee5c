/**
 * What a person's stop means for a lane, whatever it is doing: what waits to be sent, what is being sent, and what runs. Pure.
 *
 * What was not sent is cancelled, and so is never sent. What was sent is cancelled and aborted: at once where its turn runs,
 * and otherwise as soon as it is seen to have arrived (`decide`).
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
  /** What waits behind the current message and came this way is stopped with it; with null, all of it goes on. */
  alsoWaiting: Source | null;
  now: number;
};

export type StopPlan = {
  /** By id. In this order, so that none of them is sent because another one has ended. */
  cancel: readonly string[];
  /** Answered already, and the agent is not asked anything more about it. */
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

/** The head of a free lane may be under way already: a session is opened for it, or it is tried again and again. */
function aboutToBeSent({ lane, waiting: [head], now }: StopInput): DeliveryRecord | null {
  if (!head) return null;
  const next = decideHead(head, lane, now);
  return next === "wait" || next === "expire" ? null : head;
}

function isStoppable({ status }: DeliveryRecord): boolean {
  return status === "pending" || openStatuses.includes(status);
}

/** Its turn is over, and the agent would still be asked something. */
function awaitsFollowUp({ status, turnEndedAt, nextAttempt, claims }: DeliveryRecord): boolean {
  return status === "responded" && turnEndedAt === null && (nextAttempt !== null || claims !== null);
}
