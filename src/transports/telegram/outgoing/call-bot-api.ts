/** Bot API calls that send one part of a text, or show it in a message that exists. */
import type { Api } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import { classifyError, grammySignal } from "../bot-api.ts";
import type { Keyboard } from "./chat-row.ts";
import type { Part, Style } from "./parts.ts";

type SendOptions = {
  message_thread_id?: number;
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
  reply_markup?: InlineKeyboardMarkup | { force_reply: true; selective: true };
};

/** What the server supports. Assumed until a response shows otherwise. */
export type ServerAbilities = { hasRichMessages: boolean; hasDrafts: boolean };

const noPreview = { link_preview_options: { is_disabled: true } };

/** Returns the message's id. */
export async function sendPart(
  { style, markdown }: Part,
  chat: number,
  options: SendOptions,
  { api, signal }: { api: Api; signal: AbortSignal },
): Promise<number> {
  const sent =
    style === "rich"
      ? await api.sendRichMessage(chat, { markdown }, options, grammySignal(signal))
      : await api.sendMessage(chat, markdown, { ...options, ...noPreview }, grammySignal(signal));
  return sent.message_id;
}

export async function editPart(
  { style, markdown }: Part,
  { chat, message }: { chat: number; message: number },
  keyboard: Keyboard | undefined,
  { api, signal }: { api: Api; signal: AbortSignal },
): Promise<void> {
  const content = style === "rich" ? { rich_message: { markdown } } : { text: markdown, ...noPreview };
  const place = { chat_id: chat, message_id: message };
  await api.raw.editMessageText({ ...place, ...content, ...markupOf(keyboard) }, grammySignal(signal));
}

/** Makes a call in rich style, and again in plain style if the server refuses that or is too old for it. */
export async function richOrPlain(server: ServerAbilities, call: (style: Style) => Promise<void>): Promise<void> {
  if (!server.hasRichMessages) return call("plain");
  try {
    await call("rich");
  } catch (error) {
    const { kind } = classifyError(error);
    if (kind !== "refused_content" && kind !== "unknown_method") throw error;
    if (kind === "unknown_method") server.hasRichMessages = false;
    await call("plain");
  }
}

export function markupOf(keyboard: Keyboard | undefined): { reply_markup?: InlineKeyboardMarkup } {
  if (!keyboard) return {};
  const lines = keyboard.map((line) => line.map(({ text, data }) => ({ text, callback_data: data })));
  return { reply_markup: { inline_keyboard: lines } };
}

export function placeOf(thread: number | null, replyTo: number | null): SendOptions {
  return {
    ...(thread === null ? {} : { message_thread_id: thread }),
    ...(replyTo === null ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}
