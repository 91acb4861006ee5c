/** Methods that stream a preview into a private chat. */
import { badRequest } from "../bot-api-error.ts";
import type { Draft } from "../state/chat.ts";
import { setDraft } from "../state/drafts.ts";
import type { World } from "../state/world.ts";
import { characterCount, formatText, maxTextLength } from "../text/format-text.ts";
import { readRichMessage, richMessageSchema } from "../text/rich-message.ts";
import { findChat, findThread } from "./access.ts";
import { chatId, flag, integer, json, type Method, method, text } from "./method.ts";
import { entities } from "./send-messages.ts";

const place = {
  chat_id: chatId,
  message_thread_id: integer.optional(),
  draft_id: integer.optional(),
  can_stop: flag.optional(),
  keep_on_stop: flag.optional(),
};
type Place = {
  chat_id: number | string;
  message_thread_id?: number | undefined;
  draft_id?: number | undefined;
  can_stop?: boolean | undefined;
  keep_on_stop?: boolean | undefined;
};

function showDraft(world: World, args: Place, content: Draft["content"]): true {
  const chat = findChat(world, args.chat_id);
  if (chat.info.type !== "private") throw badRequest("TEXTDRAFT_PEER_INVALID");
  if (!args.draft_id) throw badRequest("draft_id must be non-zero");
  const thread = findThread(world, chat, args.message_thread_id);
  const { can_stop: canStop = false, keep_on_stop: keepOnStop = false } = args;
  setDraft(world, chat, { id: args.draft_id, thread, content, canStop, keepOnStop });
  return true;
}

export const draftMethods: Record<string, Method> = {
  sendMessageDraft: method(
    { ...place, text: text.optional(), parse_mode: text.optional(), entities },
    (world, args) => {
      const formatted = formatText({ text: args.text ?? "", parseMode: args.parse_mode, entities: args.entities });
      if (characterCount(formatted.text) > maxTextLength) throw badRequest("message is too long");
      return showDraft(world, args, { type: "text", ...formatted });
    },
  ),

  sendRichMessageDraft: method({ ...place, rich_message: json(richMessageSchema) }, (world, args) => {
    readRichMessage(args.rich_message, { mayBeEmpty: true });
    return showDraft(world, args, { type: "rich", rich: args.rich_message });
  }),
};
