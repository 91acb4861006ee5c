/** The lane that a command is about: the topic's own, or the one that the topic is bound to. */
import { AppError } from "../../../platform/app-error.ts";
import type { LaneState } from "../../../service/service.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { bindingName } from "../topics/binding.ts";
import { laneOfTopic, openRecipient } from "../topics/recipient.ts";
import { adminsOnly, isAdmin } from "../updates/access.ts";
import type { CommandCall } from "./command.ts";

/** Throws if nothing has been sent yet, or if Waybill does not run the agent. */
export async function laneOfCall({ topic }: CommandCall, context: TelegramContext): Promise<LaneState> {
  const lane = await laneOfTopic(topic, context);
  if (lane !== null) return context.service.lane(lane);
  if (topic.boundTo) throw notRunHere(bindingName(topic.boundTo));
  throw new AppError({
    code: "lane_unknown",
    message: "No message has been sent to an agent in this topic yet.",
    hint: "Write something first. /workspace shows where the agent will work.",
  });
}

/** Like `laneOfCall`, but creates the lane if nothing has been sent yet. Commit `kept` with the answer. */
export async function openLaneOfCall(
  call: CommandCall,
  context: TelegramContext,
): Promise<{ state: LaneState; kept: Handled }> {
  const { topics, clock } = context;
  const { topic } = await openRecipient(call.topic, call.message.from.name, context);
  const state = await laneOfCall({ ...call, topic }, context);
  return { state, kept: topic.boundTo ? {} : { state: topics.keep(topic, clock.now()) } };
}

/** Others may also use a lane that a topic is bound to. */
export function refuseUnlessAdmin({ topic, message }: CommandCall, { settings }: TelegramContext): void {
  if (topic.boundTo && !isAdmin(settings, message.from.id)) throw adminsOnly();
}

function notRunHere(name: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `Waybill does not run ${name}, so it cannot inspect or control it.`,
    hint: "/unbind returns to the topic's own agent.",
  });
}
