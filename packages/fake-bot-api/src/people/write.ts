/** What people write and send in a chat. */
import type { Message, MessageEntity, User } from "grammy/types";
import type { ChatState } from "../state/chat.ts";
import { asDocument, asPhoto, asVoice, newAlbumId } from "../state/file-store.ts";
import { changeMessage, type MessageContent } from "../state/messages.ts";
import { unixTime, type World } from "../state/world.ts";
import { detectEntities } from "../text/detect-entities.ts";
import { maxTextLength } from "../text/format-text.ts";
import { receiveEdit, receiveMessage } from "./incoming.ts";
import { findMessage, type MessageRef } from "./message-ref.ts";

export type SendOptions = {
  /** By default, the person of a private chat, or the first member of a group. */
  from?: User;
  thread?: number;
  replyTo?: MessageRef;
  /** A part of the replied-to message. */
  quote?: string;
  /** Formatting. Commands, mentions and links are detected without it. */
  entities?: MessageEntity[];
};
export type FileToSend = { bytes: Uint8Array | string; name?: string; mimeType?: string; caption?: string };

export type Writing = {
  send(text: string, options?: SendOptions): Message;
  edit(message: MessageRef, text: string): Message;
  /** Deletes a message of either side, for everyone. The bot is not notified. */
  delete(message: MessageRef): void;
  /** Forwards a message from this chat or another one. */
  forward(message: Message, options?: SendOptions): Message;
  sendPhoto(file: FileToSend, options?: SendOptions): Message;
  sendDocument(file: FileToSend, options?: SendOptions): Message;
  sendVoice(file: FileToSend, options?: SendOptions): Message;
  /** Several photos at once, with a message for each. */
  sendAlbum(files: FileToSend[], options?: SendOptions): Message[];
  /** Sends any other kind of message: a sticker, a poll, a location, new members. */
  sendContent(content: MessageContent, options?: SendOptions): Message;
};

export function writingIn(world: World, chat: ChatState, defaultSender: () => User): Writing {
  function sendContent(content: MessageContent, options: SendOptions = {}): Message {
    const { from = defaultSender(), thread, replyTo: ref, quote } = options;
    if (thread !== undefined && !chat.topics.has(thread)) throw new Error(`The chat has no topic ${thread}.`);
    const replyTo = ref === undefined ? undefined : findMessage(chat, ref);
    const quoted = quote === undefined ? {} : { quote: quoteFrom(replyTo?.message, quote) };
    return receiveMessage(world, chat, { from, thread, replyTo, content: { ...quoted, ...content } });
  }

  const store = (kind: string, fallback: string, { bytes, name = fallback }: FileToSend) =>
    world.files.add(kind, name, Buffer.from(bytes));
  const photo = (file: FileToSend): MessageContent => ({
    photo: asPhoto(store("photos", "photo.jpg", file)),
    ...captionOf(file),
  });

  return {
    send: (text, options) => sendContent(textOf(text, options?.entities), options),
    edit(ref, text) {
      const stored = findMessage(chat, ref);
      const isText = stored.message.text !== undefined;
      const content = isText ? textOf(text) : captionOf({ caption: text });
      const cleared = isText ? { entities: undefined } : { caption_entities: undefined };
      const message = changeMessage(world, stored, { ...cleared, ...content, edit_date: unixTime(world) });
      receiveEdit(world, chat, message);
      return message;
    },
    delete(ref) {
      chat.messages.delete(findMessage(chat, ref).message.message_id);
      world.events.emit("change");
    },
    forward({ from, date, text, entities, caption, caption_entities, photo, document, voice }, options) {
      const content = { text, entities, caption, caption_entities, photo, document, voice };
      const known = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
      const sender_user = from ?? defaultSender();
      return sendContent({ ...known, forward_origin: { type: "user", sender_user, date } }, options);
    },
    sendPhoto: (file, options) => sendContent(photo(file), options),
    sendDocument(file, options) {
      const document = asDocument(store("documents", "document.txt", file), file.mimeType);
      return sendContent({ document, ...captionOf(file) }, options);
    },
    sendVoice: (file, options) =>
      sendContent({ voice: asVoice(store("voice", "voice.ogg", file)), ...captionOf(file) }, options),
    sendAlbum(files, options) {
      const album = { media_group_id: newAlbumId() };
      return files.map((file) => sendContent({ ...photo(file), ...album }, options));
    },
    sendContent,
  };
}

function textOf(text: string, given: readonly MessageEntity[] = []): MessageContent {
  if (text.trim() === "") throw new Error("Telegram's apps do not send an empty text.");
  if (text.length > maxTextLength) throw new Error(`Telegram's apps split a text after ${maxTextLength} characters.`);
  const entities = detectEntities(text, given);
  return { text, ...(entities.length > 0 ? { entities } : {}) };
}

function captionOf({ caption }: { caption?: string }): MessageContent {
  if (!caption) return {};
  const entities = detectEntities(caption, []);
  return { caption, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

function quoteFrom(message: Message | undefined, text: string): NonNullable<Message["quote"]> {
  const position = (message?.text ?? message?.caption ?? "").indexOf(text);
  if (position === -1) throw new Error("The quote is not in the message that it replies to.");
  return { text, position, is_manual: true };
}
