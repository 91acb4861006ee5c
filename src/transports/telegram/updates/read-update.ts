/**
 * Parses a Bot API update into this transport's own types. Updates are untrusted input: anything unexpected becomes
 * `other`, never an error. Pure.
 */
import { z } from "zod";

const id = z.number().int();

/** An optional field. A value of an unexpected form is dropped, so that the message is not lost. */
const extra = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const user = z.object({
  id,
  is_bot: extra(z.boolean()),
  first_name: extra(z.string()),
  username: extra(z.string()),
});
const chat = z.object({ id, type: z.string(), title: extra(z.string()) });
const file = z.object({
  file_id: z.string(),
  file_name: extra(z.string()),
  mime_type: extra(z.string()),
  file_size: extra(z.number()),
});
const quotedMessage = z.object({ message_id: id, text: extra(z.string()), caption: extra(z.string()) });
const message = z.object({
  message_id: id,
  date: z.number(),
  edit_date: extra(z.number()),
  from: extra(user),
  chat,
  message_thread_id: extra(id),
  is_topic_message: extra(z.boolean()),
  text: extra(z.string()),
  caption: extra(z.string()),
  media_group_id: extra(z.string()),
  photo: extra(z.array(file)),
  document: extra(file),
  voice: extra(file),
  audio: extra(file),
  video: extra(file),
  reply_to_message: extra(quotedMessage),
  quote: extra(z.object({ text: z.string() })),
  forward_origin: extra(z.looseObject({ type: z.string() })),
  migrate_to_chat_id: extra(id),
  migrate_from_chat_id: extra(id),
  forum_topic_created: extra(z.object({ name: z.string() })),
  forum_topic_edited: extra(z.object({ name: extra(z.string()) })),
});
const update = z.object({
  update_id: id,
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: z
    .object({ id: z.string(), from: user, data: z.string().optional(), message: message.partial().optional() })
    .optional(),
  stopped_message_generation: z.object({ chat, message_thread_id: extra(id), draft_id: id }).optional(),
  my_chat_member: z.object({ chat, new_chat_member: z.object({ status: z.string() }) }).optional(),
});
type ReadMessage = z.output<typeof message>;

export type Person = { id: number; name: string; isBot: boolean };
/** Where people and an agent talk: a private chat, a group, or a topic of either. */
export type Place = { chat: number; isPrivate: boolean; title: string | null; thread: number | null };
export type IncomingFile = { fileId: string; name: string; mimeType: string; size: number | null };

export type IncomingMessage = {
  kind: "message";
  place: Place;
  from: Person;
  messageId: number;
  /** When it was last edited, in seconds; null for a new message. */
  editedAt: number | null;
  text: string;
  files: readonly IncomingFile[];
  /** The same for all messages of an album. */
  album: string | null;
  /** The message that it replies to. */
  repliesTo: { messageId: number; text: string | null } | null;
  /** The original author of a forwarded message. */
  forwardedFrom: string | null;
};

export type Incoming =
  | IncomingMessage
  | { kind: "button"; place: Place; from: Person; callbackId: string; messageId: number; data: string }
  /** Only in private chats, where the chat's id is the person's. */
  | { kind: "draft_stopped"; place: Place; draft: number }
  | { kind: "migrated"; from: number; to: number }
  | { kind: "membership"; place: Place; isMember: boolean }
  | { kind: "topic_named"; place: Place; name: string }
  | { kind: "other"; what: string };

/** The id under which an update is stored. Without one, an update cannot be confirmed. */
export function updateId(body: unknown): number | null {
  const read = z.object({ update_id: id.nonnegative() }).safeParse(body);
  return read.success ? read.data.update_id : null;
}

export function readUpdate(body: unknown): Incoming {
  const read = update.safeParse(body);
  if (!read.success) return { kind: "other", what: "malformed" };
  const { message, edited_message, callback_query, stopped_message_generation, my_chat_member } = read.data;
  if (message) return ofMessage(message, null);
  if (edited_message) return ofMessage(edited_message, edited_message.edit_date ?? edited_message.date);
  if (callback_query) return ofButton(callback_query);
  if (stopped_message_generation) return ofStoppedDraft(stopped_message_generation);
  if (my_chat_member) {
    const { chat, new_chat_member } = my_chat_member;
    const isMember = !["left", "kicked"].includes(new_chat_member.status);
    return { kind: "membership", place: placeOf({ chat }), isMember };
  }
  const [, what = "empty"] = Object.keys(body as object);
  return { kind: "other", what };
}

function ofMessage(message: ReadMessage, editedAt: number | null): Incoming {
  const place = placeOf(message);
  if (message.migrate_to_chat_id !== undefined) {
    return { kind: "migrated", from: message.chat.id, to: message.migrate_to_chat_id };
  }
  if (message.migrate_from_chat_id !== undefined) {
    return { kind: "migrated", from: message.migrate_from_chat_id, to: message.chat.id };
  }
  const name = message.forum_topic_created?.name ?? message.forum_topic_edited?.name;
  if (name !== undefined) return { kind: "topic_named", place, name };
  const files = filesOf(message);
  const text = message.text ?? message.caption ?? "";
  if (!message.from || (text === "" && files.length === 0)) return { kind: "other", what: "message_without_text" };
  return {
    kind: "message",
    place,
    from: personOf(message.from),
    messageId: message.message_id,
    editedAt,
    text,
    files,
    album: message.media_group_id ?? null,
    repliesTo: quotedIn(message),
    forwardedFrom: message.forward_origin ? forwarderOf(message.forward_origin) : null,
  };
}

function ofButton(query: NonNullable<z.output<typeof update>["callback_query"]>): Incoming {
  const { id: callbackId, from, data, message } = query;
  if (data === undefined || !message?.chat || message.message_id === undefined) {
    return { kind: "other", what: "button_without_message" };
  }
  const place = placeOf({ chat: message.chat, message_thread_id: message.message_thread_id });
  return { kind: "button", place, from: personOf(from), callbackId, messageId: message.message_id, data };
}

function ofStoppedDraft(stopped: NonNullable<z.output<typeof update>["stopped_message_generation"]>): Incoming {
  return { kind: "draft_stopped", place: placeOf(stopped), draft: stopped.draft_id };
}

function placeOf({ chat, ...message }: Pick<ReadMessage, "chat"> & Partial<ReadMessage>): Place {
  const isPrivate = chat.type === "private";
  // In a group, a reply carries the thread of the message it replies to, even without topics.
  const isTopic = message.is_topic_message ?? isPrivate;
  const thread = isTopic ? (message.message_thread_id ?? null) : null;
  return { chat: chat.id, isPrivate, title: chat.title ?? null, thread };
}

/** A user name is unique; a first name is not, and anyone can copy one. */
function personOf({ id, is_bot, username }: z.output<typeof user>): Person {
  return { id, name: username ?? `telegram-${id}`, isBot: is_bot ?? false };
}

function filesOf({ photo, document, voice, audio, video, message_id }: ReadMessage): IncomingFile[] {
  const largest = photo?.at(-1);
  return [
    ...(largest ? [fileOf(largest, `photo-${message_id}.jpg`, "image/jpeg")] : []),
    ...(document ? [fileOf(document, `document-${message_id}`, "application/octet-stream")] : []),
    ...(voice ? [fileOf(voice, `voice-${message_id}.ogg`, "audio/ogg")] : []),
    ...(audio ? [fileOf(audio, `audio-${message_id}.mp3`, "audio/mpeg")] : []),
    ...(video ? [fileOf(video, `video-${message_id}.mp4`, "video/mp4")] : []),
  ];
}

function fileOf(given: z.output<typeof file>, name: string, mimeType: string): IncomingFile {
  return {
    fileId: given.file_id,
    name: given.file_name ?? name,
    mimeType: given.mime_type ?? mimeType,
    size: given.file_size ?? null,
  };
}

/** In a topic, every message nominally replies to the one that created the topic. */
function quotedIn(message: ReadMessage): IncomingMessage["repliesTo"] {
  const { reply_to_message: replied, quote } = message;
  if (!replied || replied.message_id === placeOf(message).thread) return null;
  return { messageId: replied.message_id, text: quote?.text ?? replied.text ?? replied.caption ?? null };
}

function forwarderOf(origin: { type: string; [key: string]: unknown }): string {
  const sender = user.safeParse(origin.sender_user);
  if (sender.success) return sender.data.username ?? sender.data.first_name ?? "somebody";
  const from = chat.safeParse(origin.chat ?? origin.sender_chat);
  if (from.success && from.data.title !== undefined) return from.data.title;
  return typeof origin.sender_user_name === "string" ? origin.sender_user_name : "somebody";
}
