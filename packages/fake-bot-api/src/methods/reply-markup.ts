/** The buttons below a message. */
import type { InlineKeyboardMarkup } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import { isPublicUrl } from "../text/entity.ts";

const maxCallbackBytes = 64;
const maxButtons = 100;

/** Keyboards other than inline ones are accepted but not shown. */
export const replyMarkupSchema = z.looseObject({
  inline_keyboard: z.array(z.array(z.looseObject({ text: z.string() }))).optional(),
});
export type ReplyMarkup = z.output<typeof replyMarkupSchema>;

const actions = [
  "url",
  "callback_data",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
  "disabled",
];

/** An inline keyboard as a message shows it, or `undefined` if it has none. */
export function readKeyboard(markup: ReplyMarkup | undefined): InlineKeyboardMarkup | undefined {
  const rows = markup?.inline_keyboard?.filter((row) => row.length > 0) ?? [];
  if (rows.length === 0) return undefined;
  const buttons = rows.flat();
  if (buttons.length > maxButtons) throw badRequest("reply markup is too long");
  for (const button of buttons) {
    if (button.text.trim() === "") throw cannotParse("Button text must be non-empty");
    if (!actions.some((action) => action in button)) {
      throw cannotParse("Text buttons are unallowed in the inline keyboard");
    }
    if ("callback_data" in button && !isCallbackData(button.callback_data)) throw badRequest("BUTTON_DATA_INVALID");
    if ("url" in button && !(typeof button.url === "string" && isPublicUrl(button.url))) {
      throw badRequest(`inline keyboard button URL '${button.url}' is invalid: Wrong HTTP URL`);
    }
  }
  return { inline_keyboard: rows as unknown as InlineKeyboardMarkup["inline_keyboard"] };
}

function isCallbackData(data: unknown): boolean {
  if (typeof data !== "string") return false;
  const bytes = Buffer.byteLength(data);
  return bytes >= 1 && bytes <= maxCallbackBytes;
}

const cannotParse = (reason: string) => badRequest(`can't parse inline keyboard button: ${reason}`);
