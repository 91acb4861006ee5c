/** A chat command, a call of it, and the lane that it is about: the topic's own, or the one that the topic is bound to. */
import { AppError, notPossible } from "../../../platform/app-error.ts";
import type { LaneState } from "../../../service/service.ts";
import type { Keyboard } from "../outgoing/chat-row.ts";
import { say } from "../outgoing/chat-row.ts";
import type { Handled, StoredUpdate, TelegramContext } from "../telegram-context.ts";
import { laneOfTopic, openRecipient } from "../topics/recipient.ts";
import type { Topic } from "../topics/topic.ts";
import { bindingName } from "../topics/topic.ts";
import { adminsOnly, isAdmin } from "../updates/access.ts";
import type { IncomingMessage } from "../updates/read-update.ts";

export type CommandCall = { message: IncomingMessage; update: StoredUpdate; topic: Topic; args: string };

export type Command = {
  name: string;
  /** For the menu; null for aliases that the menu lists under another name. */
  description: string | null;
  adminOnly?: boolean;
  /** It changes where later messages go, so it is handled in order with them. Other commands do not wait. */
  changesTopic?: boolean;
  run(call: CommandCall, context: TelegramContext): Promise<Handled>;
};

/** Answers a command in its topic. An update is answered once, even if it is handled again. */
export function answer({ message, update }: CommandCall, markdown: string, buttons?: Keyboard): Handled {
  const options = { replyTo: message.messageId, ...(buttons ? { buttons } : {}) };
  return { outbox: [say(message.place, `command:${update.id}`, markdown, options)] };
}

/** Throws if nothing has been sent yet, or if Waybill does not run the agent. */
export async function laneOfCall({ topic }: CommandCall, context: TelegramContext): Promise<LaneState> {
  const lane = await laneOfTopic(topic, context);
  if (lane !== null) return context.service.lane(lane);
  if (topic.boundTo) {
    const message = `Waybill does not run ${bindingName(topic.boundTo)}, so it cannot inspect or control it.`;
    throw notPossible(message, "/unbind returns to the topic's own agent.");
  }
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
