/** Mail that no delivery of a lane answers: an agent's own messages, and those of members that Waybill does not run. */
import type { Mail } from "../../../core/message/message.ts";
import { senderOf } from "../../../core/message/message.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { mayUse } from "../updates/access.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import { concernedTopics } from "./concerned-topics.ts";
import type { Where } from "./say.ts";
import { say } from "./say.ts";

export async function unaskedRows(mail: Mail, person: string, context: TelegramContext): Promise<NewOutboxRow[]> {
  if (senderOf(mail) === null) return [];
  if (mail.relayOfMessageId !== null) {
    return answered(mail, context).map(({ where, replyTo }) => say(where, keyIn(mail, where), mail.text, { replyTo }));
  }
  const own = mail.laneId === null ? null : context.topics.ofLane(mail.laneId);
  const places = await placesOf(mail, person, context);
  // Outside its own topic, the agent is named.
  const textIn = (where: Where) => (own && isSame(own, where) ? mail.text : `**${mail.from}**: ${mail.text}`);
  return places.map((where) => say(where, keyIn(mail, where), textIn(where)));
}

function keyIn({ id }: Mail, { chat, thread }: Where): string {
  return `mail:${id}:${chat}:${thread ?? "root"}`;
}

function isSame(one: Where, other: Where): boolean {
  return one.chat === other.chat && one.thread === other.thread;
}

/** The lane's topic if it is in the person's private chat, else that chat, else the lane's topics. */
async function placesOf({ laneId }: Mail, person: string, context: TelegramContext): Promise<Where[]> {
  const { topics, settings } = context;
  const known = topics.privateChatOf(person);
  const isAllowed =
    known !== null && mayUse(settings, { chat: known, isPrivate: true, title: null, thread: null }, known, null);
  const own = laneId === null ? null : topics.ofLane(laneId);
  if (isAllowed && own?.chat !== known) return [{ chat: known, thread: null }];
  if (isAllowed && own) return [own];
  return laneId === null ? [] : concernedTopics(laneId, context);
}

/** The answer of a member that Waybill does not run has no lane, so the topic is found by its binding. */
function answered(
  { relayOfMessageId, fromMember }: Mail,
  { topics }: TelegramContext,
): { where: Where; replyTo: number }[] {
  const named = relayOfMessageId === null ? null : chatMessageOf(relayOfMessageId);
  if (!named || fromMember?.kind !== "member") return [];
  const bound = topics.boundTo({ id: "", team: fromMember.team, member: fromMember.member });
  const where = bound.find(({ chat }) => chat === named.chat);
  return where ? [{ where, replyTo: named.message }] : [];
}
