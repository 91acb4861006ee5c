/** Admits a chat message as a message to the topic's agent. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { WrittenAddress } from "../../../core/message/message.ts";
import type { AppError } from "../../../platform/app-error.ts";
import { nullIfRefused } from "../../../platform/app-error.ts";
import type { SendResult } from "../../../service/service.ts";
import { say } from "../outgoing/chat-row.ts";
import { savedSign, waitingSign } from "../outgoing/signs.ts";
import type { Handled, StoredUpdate, TelegramContext } from "../telegram-context.ts";
import { openRecipient } from "../topics/recipient.ts";
import type { Topic } from "../topics/topic.ts";
import type { Albums } from "../updates/albums.ts";
import { messageIdOf } from "../updates/message-id.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import { fetchFiles } from "./fetch-files.ts";

export type RelayContext = TelegramContext & { albums: Albums; closing: AbortSignal };

export async function relayMessage(
  part: IncomingMessage,
  update: StoredUpdate,
  topic: Topic,
  context: RelayContext,
): Promise<Handled> {
  const { topics, clock, albums, closing } = context;
  const whole = await albums.whole(part, update.id, closing);
  if (!whole) return {};
  const { message } = whole;
  const opened = await openRecipient(topic, message.from.name, context);
  // Before the message is admitted, because its log events must find the topic from then on.
  const state = topics.keep(opened.topic, clock.now());
  const sent = await admit(message, opened, context);
  if (sent === null) return { state, alsoHandled: whole.updates };
  return { state, alsoHandled: whole.updates, outbox: [savedSign(message), ...waitingSign(message, sent)] };
}

/** Null for an edit that does not change what the agent reads. */
async function admit(
  message: IncomingMessage,
  { topic, to }: { topic: Topic; to: WrittenAddress },
  context: RelayContext,
): Promise<SendResult | null> {
  const { service } = context;
  const version = message.editedAt === null ? original : await nextVersion(message, context);
  if (version === null) return null;
  const attachments = await fetchFiles(message.files, context, context.closing);
  const common = { to, conversation: topic.key, source: "telegram" as const };
  return service.send({
    ...common,
    id: idOf(message, version.edit, context),
    from: message.from.name,
    text: agentText(message, version),
    attachments,
  });
}

type Version = { edit: number; isEdit: boolean };

const original: Version = { edit: 0, isEdit: false };

function idOf({ place, messageId }: IncomingMessage, edit: number, { bot }: TelegramContext): string {
  return messageIdOf(bot.id, place.chat, messageId, edit);
}

/**
 * An edit replaces a message that is still waiting, and follows one that was sent. It is the original if the message
 * is unknown. Null if it changes nothing.
 */
async function nextVersion(message: IncomingMessage, context: TelegramContext): Promise<Version | null> {
  const records = await recordsOf(message, context);
  const newest = records.at(-1);
  if (!newest) return original;
  const known = await context.service.message(newest.laneId, newest.messageId);
  if ([true, false].some((isEdit) => known?.text === agentText(message, { isEdit }))) return null;
  const isTakenBack = await takeBack(newest, context);
  const isEdit = !isTakenBack || records.slice(0, -1).some((record) => !isWithdrawn(record));
  return { edit: records.length, isEdit };
}

/** The deliveries of a chat message and of its edits, in order. */
async function recordsOf(message: IncomingMessage, context: TelegramContext): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for (;;) {
    const messageId = idOf(message, records.length, context);
    const [delivery] = (await context.service.deliveries({ messageId, limit: 1 })).items;
    if (!delivery) return records;
    records.push(delivery.record);
  }
}

function isWithdrawn({ status, lastReason }: DeliveryRecord): boolean {
  return status === "cancelled" && lastReason === "withdrawn";
}

/** Whether the agent never sees it. */
async function takeBack(record: DeliveryRecord, { service }: TelegramContext): Promise<boolean> {
  // An earlier try may have withdrawn it and crashed.
  if (isWithdrawn(record)) return true;
  if (record.status !== "pending") return false;
  // Refused if it has just been sent.
  return (await nullIfRefused(service.withdraw(record.messageId, record.laneId), "not_possible")) !== null;
}

/** Tells a person why their message was refused. */
export function refusal(message: IncomingMessage, update: StoredUpdate, error: AppError): Handled {
  const hint = error.hint === undefined ? "" : `\n\n${error.hint}`;
  const key = `refused:${update.id}`;
  return { outbox: [say(message.place, key, `⚠️ ${error.message}${hint}`, { replyTo: message.messageId })] };
}

const maxQuoted = 1000;

/** The text that the agent reads, with what it replies to. `isEdit`: the agent knows an earlier text of this message. */
function agentText(message: IncomingMessage, { isEdit }: { isEdit: boolean }): string {
  const { text, repliesTo, forwardedFrom } = message;
  const quoted = repliesTo?.text ? `> ${repliesTo.text.slice(0, maxQuoted).replaceAll("\n", "\n> ")}\n\n` : "";
  const forwarded = forwardedFrom === null ? "" : `(Forwarded from ${forwardedFrom}.)\n\n`;
  const edited = isEdit ? "(I edited my earlier message. It now says:)\n\n" : "";
  const said = text === "" ? "(Sent without text. See the attachments.)" : text;
  return `${edited}${quoted}${forwarded}${said}`;
}
