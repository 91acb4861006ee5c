/** Admits a chat message as a message to the topic's agent. */
import { AppError } from "../../../app-error.ts";
import type { WrittenAddress } from "../../../core/message/address.ts";
import type { SendResult } from "../../../service/service.ts";
import { say } from "../outgoing/say.ts";
import { savedSign, waitingSign } from "../outgoing/signs.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { openRecipient } from "../topics/recipient.ts";
import type { Topic } from "../topics/topic.ts";
import type { Albums } from "../updates/albums.ts";
import { editedMessageId, messageIdOf } from "../updates/message-id.ts";
import { agentText } from "../updates/message-text.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import type { StoredUpdate } from "../updates/update-queue.ts";
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
  const { service, bot } = context;
  const { chat } = message.place;
  const id = messageIdOf(bot.id, chat, message.messageId);
  const edit = message.editedAt === null ? null : await takeBack(id, message, context);
  if (edit === "unchanged") return null;
  const isNew = edit === null || message.editedAt === null;
  const attachments = await fetchFiles(message.files, context, context.closing);
  const common = { to, conversation: topic.key, source: "telegram" as const };
  return service.send({
    ...common,
    id: isNew ? id : editedMessageId(bot.id, chat, message.messageId, message.editedAt ?? 0),
    from: message.from.name,
    text: agentText(message, edit),
    attachments,
  });
}

/**
 * An edit replaces a message that is still waiting, and follows one that was sent. Null if the message itself is
 * unknown: then the edit is treated as the message.
 */
async function takeBack(
  id: string,
  message: IncomingMessage,
  { service }: TelegramContext,
): Promise<"replaces" | "follows" | "unchanged" | null> {
  const [delivery] = (await service.deliveries({ messageId: id, limit: 1 })).items;
  if (!delivery) return null;
  const { record } = delivery;
  const known = await service.message(record.laneId, id);
  if (known?.text === agentText(message, null)) return "unchanged";
  // An earlier try may have withdrawn it and crashed.
  if (record.status === "cancelled" && record.lastReason === "withdrawn") return "replaces";
  if (record.status !== "pending") return "follows";
  try {
    await service.withdraw(id, record.laneId);
    return "replaces";
  } catch (error) {
    // It has just been sent.
    if (error instanceof AppError && error.code === "not_possible") return "follows";
    throw error;
  }
}

/** Tells a person why their message was refused. */
export function refusal(message: IncomingMessage, update: StoredUpdate, error: AppError): Handled {
  const hint = error.hint === undefined ? "" : `\n\n${error.hint}`;
  const key = `refused:${update.id}`;
  return { outbox: [say(message.place, key, `⚠️ ${error.message}${hint}`, { replyTo: message.messageId })] };
}
