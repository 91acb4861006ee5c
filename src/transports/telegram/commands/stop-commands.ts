/**
 * `/stop` ends a topic's running turn immediately; waiting messages are still sent. `/pause` and `/resume` stop and
 * continue sending; in a bound topic, they are for administrators only.
 */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import { nullIfRefused } from "../../../platform/app-error.ts";
import type { LaneState } from "../../../service/service.ts";
import { count } from "../outgoing/amounts.ts";
import type { StoredUpdate, TelegramContext } from "../telegram-context.ts";
import type { Command } from "./command.ts";
import { answer, laneOfCall, refuseUnlessAdmin } from "./command.ts";

type StopPlan =
  /** Whatever the lane is doing now. */
  | { stop: "lane" }
  /** Only this delivery, in case the lane has moved on. */
  | { stop: "delivery"; id: string }
  | { stop: "nothing" };

export const stop: Command = {
  name: "stop",
  description: "End the running turn; waiting messages are still sent",
  async run(call, context) {
    const state = await laneOfCall(call, context);
    const isStopped = await carryOut(stopPlan(state.holder, call.update), state, context);
    return answer(call, isStopped ? "The running turn was stopped." : "Nothing is running here.");
  },
};

export function stopPlan(
  holder: DeliveryRecord | null,
  { isAgain, receivedAt }: Pick<StoredUpdate, "isAgain" | "receivedAt">,
): StopPlan {
  if (!isAgain) return { stop: "lane" };
  if (!holder) return { stop: "nothing" };
  const began = holder.attemptList[0]?.submittedAt ?? holder.createdAt;
  return began <= receivedAt && openStatuses.includes(holder.status)
    ? { stop: "delivery", id: holder.id }
    : { stop: "nothing" };
}

async function carryOut(
  plan: StopPlan,
  { lane, holder, waiting }: LaneState,
  { service }: TelegramContext,
): Promise<boolean> {
  switch (plan.stop) {
    case "lane":
      // Without a running turn, this stops the message that was about to be sent.
      return (await service.abort(lane.id)).waiting < waiting || holder !== null;
    case "delivery":
      return (await nullIfRefused(service.cancel(plan.id), "not_possible")) !== null;
    case "nothing":
      return false;
    default:
      return plan satisfies never;
  }
}

export const pause: Command = {
  name: "pause",
  description: "Send nothing until /resume (in a bound topic: administrators only)",
  async run(call, context) {
    refuseUnlessAdmin(call, context);
    const { lane } = await laneOfCall(call, context);
    const { holder } = await context.service.pause(lane.id, `paused by ${call.message.from.name}`);
    const running = holder ? " The running turn continues; /stop ends it." : "";
    return answer(call, `Paused. Your messages are kept and sent after /resume.${running}`);
  },
};

export const resume: Command = {
  name: "resume",
  description: "Continue after /pause (in a bound topic: administrators only)",
  async run(call, context) {
    refuseUnlessAdmin(call, context);
    const { lane } = await laneOfCall(call, context);
    const state = await context.service.resume(lane.id);
    const held = state.lane.teamHold === null ? "" : ` Its team still holds it back (${state.lane.teamHold}).`;
    const waiting = state.waiting === 0 ? "" : ` ${count(state.waiting, "message")} waiting.`;
    return answer(call, `Resumed.${waiting}${held}`);
  },
};
