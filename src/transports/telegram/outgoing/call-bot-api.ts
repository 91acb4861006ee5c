/** Bot API calls that send or edit one part of a text. */
import type { Api } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import { grammySignal } from "../bot-api.ts";
import type { Keyboard } from "./chat-row.ts";
import type { Part } from "./render.ts";

export type SendOptions = {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
  reply_markup?: InlineKeyboardMarkup | { force_reply: true; selective: true };
};

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
    part.kind === "rich"
      ? await api.sendRichMessage(chat, { markdown: part.markdown }, { ...place, ...options }, grammySignal(signal))
      : await api.sendMessage(chat, part.text, { ...place, ...options, ...formatOf(part) }, grammySignal(signal));
  return sent.message_id;
}

export async function changeMessage(
  api: Api,
  chat: number,
  message: number,
  part: Part,
  keyboard: InlineKeyboardMarkup | null,
  signal: AbortSignal,
): Promise<void> {
  const markup = keyboard ? { reply_markup: keyboard } : {};
  if (part.kind === "rich") {
    await api.raw.editMessageText(
      { chat_id: chat, message_id: message, rich_message: { markdown: part.markdown }, ...markup },
      grammySignal(signal),
    );
  } else await api.editMessageText(chat, message, part.text, { ...formatOf(part), ...markup }, grammySignal(signal));
}

export function inlineKeyboard(buttons: Keyboard): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map((line) => line.map(({ text, data }) => ({ text, callback_data: data }))) };
}

function formatOf({ entities }: Extract<Part, { kind: "text" }>) {
  return { entities: [...entities], link_preview_options: { is_disabled: true } };
}
