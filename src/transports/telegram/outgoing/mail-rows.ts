/** Mail to a person: answers, acknowledgements, and Waybill's own notices. */
import type { Mail } from "../../../core/message/message.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import { footerOf } from "./footer.ts";
import type { Origin } from "./origin.ts";
import { originOf } from "./origin.ts";
import { row, say } from "./say.ts";
import { failureButtons, progressKey, signKeys, startedKey } from "./signs.ts";
import { unaskedRows } from "./unasked-rows.ts";

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
