/** Mail to a person: answers with their time and cost, acknowledgements, Waybill's own notices, and what agents write unasked. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { Mail } from "../../../core/message/message.ts";
import { senderOf } from "../../../core/message/message.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import { mayUse } from "../updates/access.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import { duration } from "./amounts.ts";
import type { Where } from "./chat-row.ts";
import { row, say } from "./chat-row.ts";
import type { Origin } from "./origin.ts";
import { concernedTopics, originOf } from "./origin.ts";
import { deliveryButtons, progressKey, signKeys, startedKey } from "./signs.ts";

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
    const buttons = failed ? { buttons: deliveryButtons(messageId, "retry", "why") } : {};
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

/** Mail that no delivery of a lane answers: agents' own messages, and answers of members that Waybill does not run. */
async function unaskedRows(mail: Mail, person: string, context: TelegramContext): Promise<NewOutboxRow[]> {
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

/** Enough for most turns. The cost of a longer one is not shown. */
const maxEvents = 500;

async function footerOf(record: DeliveryRecord, { service, clock }: TelegramContext): Promise<string> {
  const began = record.attemptList[0]?.submittedAt ?? record.createdAt;
  const events = await service.eventsBefore(record.laneId, null, maxEvents);
  const cost = turnCost(events, record.deliveredUserMessageId) ?? 0;
  return `\n\n_${duration(clock.now() - began)}${cost > 0 ? ` · ${dollars(cost)}` : ""}_`;
}

/** A turn often costs less than a cent. */
function dollars(cost: number): string {
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}

/** What one turn cost. `events` newest first; `prompt` is the id of the turn's prompt. Null if the cost is unknown. */
export function turnCost(events: readonly UniversalEvent[], prompt: string | null): number | null {
  const begun = events.find((event) => event.type === "turn.started" && event.data.prompt === prompt);
  if (!begun) return null;
  const usages = events.flatMap((event) =>
    event.type === "usage" && event.turn === begun.turn && event.session === begun.session ? [event.data] : [],
  );
  // The usage of the whole turn already includes that of its messages.
  const whole = usages.find(({ of }) => of === "turn");
  const counted = whole ? [whole] : usages;
  const costs = counted.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}
