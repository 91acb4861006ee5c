/** Bot API calls that send or edit one part of a text. */
import type { Api } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import { grammySignal } from "../bot-api.ts";
import { classifyError } from "../classify-error.ts";
import type { Keyboard } from "./chat-row.ts";
import type { Part, Style } from "./parts.ts";

const plain = { link_preview_options: { is_disabled: true } };

export type SendOptions = {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
  reply_markup?: InlineKeyboardMarkup | { force_reply: true; selective: true };
};

/** What the server supports. Assumed until a response shows otherwise. */
export type ServerAbilities = { hasRichMessages: boolean; hasDrafts: boolean };

/** Sends a new message, or replaces the content of message `edit`. Returns the message's id. */
export async function sendPart(
  part: Part,
  { chat, thread, edit }: { chat: number; thread: number | null; edit: number | null },
  options: SendOptions,
  api: Api,
  signal: AbortSignal,
): Promise<number> {
  if (edit !== null) {
    const markup = options.reply_markup && "inline_keyboard" in options.reply_markup ? options.reply_markup : null;
    await changeMessage(api, chat, edit, part, markup, signal);
    return edit;
  }
  const place = thread === null ? {} : { message_thread_id: thread };
  const sent =
    part.style === "rich"
      ? await api.sendRichMessage(chat, { markdown: part.markdown }, { ...place, ...options }, grammySignal(signal))
      : await api.sendMessage(chat, part.markdown, { ...place, ...options, ...plain }, grammySignal(signal));
  return sent.message_id;
}

/** Shows another text in a message: rich, or plain if the server refuses that. `partIn`: the text in a style. */
export async function editMessage(
  { chat, message }: { chat: number; message: number },
  partIn: (style: Style) => Part | null,
  keyboard: InlineKeyboardMarkup | null,
  { api, server }: { api: Api; server: ServerAbilities },
  signal: AbortSignal,
): Promise<void> {
  const edit = async (style: Style) => {
    const part = partIn(style);
    if (part) await changeMessage(api, chat, message, part, keyboard, signal);
  };
  if (!server.hasRichMessages) return edit("plain");
  try {
    await edit("rich");
  } catch (error) {
    const { kind } = classifyError(error);
    if (kind !== "refused_content" && kind !== "unknown_method") throw error;
    await edit("plain");
  }
}

async function changeMessage(
  api: Api,
  chat: number,
  message: number,
  part: Part,
  keyboard: InlineKeyboardMarkup | null,
  signal: AbortSignal,
): Promise<void> {
  const { style, markdown } = part;
  const content = style === "rich" ? { rich_message: { markdown } } : { text: markdown, ...plain };
  const markup = keyboard ? { reply_markup: keyboard } : {};
  await api.raw.editMessageText({ chat_id: chat, message_id: message, ...content, ...markup }, grammySignal(signal));
}

export function inlineKeyboard(buttons: Keyboard): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map((line) => line.map(({ text, data }) => ({ text, callback_data: data }))) };
}
