/** Mail to a person: answers, acknowledgements, Waybill's own notices, and what agents write unasked. */
import type { Mail } from "../../../core/message/message.ts";
import { senderOf } from "../../../core/message/message.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import { mayUse } from "../updates/access.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import type { Where } from "./chat-row.ts";
import { row, say } from "./chat-row.ts";
import { footerOf } from "./footer.ts";
import type { Origin } from "./origin.ts";
import { concernedTopics, originOf } from "./origin.ts";
import { failureButtons, progressKey, signKeys, startedKey } from "./signs.ts";

/** The sender of Waybill's own notices. */
const waybillName = "waybill";

export async function mailRows(mail: Mail, context: TelegramContext): Promise<NewOutboxRow[]> {
  if (mail.recipient.kind !== "person") return [];
  const { laneId, relayOfMessageId: relayOf } = mail;
  if (relayOf === null || laneId === null) return unaskedRows(mail, mail.recipient.name, context);
  const origin = await originOf(laneId, relayOf, context);
  return origin ? repliesTo(origin, mail, laneId, context) : [];
}

async function repliesTo(
  origin: Origin,
  mail: Mail,
  laneId: string,
  context: TelegramContext,
): Promise<NewOutboxRow[]> {
  const { topic, message: replyTo, messageId } = origin;
  const [delivery] = (await context.service.deliveries({ lane: laneId, messageId, limit: 1 })).items;
  const key = `mail:${mail.id}`;
  if (mail.from === waybillName) {
    const failed = delivery?.record.status === "failed_terminal";
    const buttons = failed ? { buttons: failureButtons(messageId) } : {};
    const replaces = failed && delivery ? { replaces: signKeys(delivery.record.id) } : {};
    return [say(topic, key, `⚠️ ${mail.text}`, { replyTo, ...buttons, ...replaces })];
  }
  if (mail.outcome === "acknowledgement" || mail.outcome === "progress") {
    return [say(topic, key, `${mail.text}\n\n_(${mail.outcome}; the answer is still to come)_`, { replyTo })];
  }
  const footer = delivery && context.settings.footer ? await footerOf(delivery.record, context) : "";
  const text = `${mail.text}${footer}`;
  if (!delivery) return [say(topic, key, text, { replyTo })];
  const { id } = delivery.record;
  if (!topic.isPrivate) return [say(topic, key, text, { replyTo, replaces: signKeys(id) })];
  // A new message notifies the person; an edited one does not.
  return [say(topic, key, text, { replyTo }), ...(await signGone(topic, id, context))];
}

/** Deletes the "Working…" message. Later ones are not sent, because the delivery has ended. */
async function signGone(topic: Topic, delivery: string, { box }: TelegramContext): Promise<NewOutboxRow[]> {
  for (const of of [startedKey(delivery), progressKey(delivery, 1)]) {
    if (await box.row(of)) return [row(topic, `sign-gone:${delivery}`, { kind: "delete", of })];
  }
  return [];
}

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
