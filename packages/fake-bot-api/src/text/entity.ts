/** A text with its entities, and their rules. Offsets and lengths count UTF-16 units. */
import type { MessageEntity } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";

export type FormattedText = { text: string; entities: MessageEntity[] };

/** Telegram drops any further entities. */
const maxEntities = 100;

const position = { offset: z.number().int(), length: z.number().int() };
const plainTypes = [
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
] as const;

export const entitySchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(plainTypes), ...position }),
  z.object({ type: z.literal("pre"), ...position, language: z.string().exactOptional() }),
  z.object({ type: z.literal("text_link"), ...position, url: z.string() }),
  z.object({
    type: z.literal("text_mention"),
    ...position,
    user: z.object({ id: z.number(), is_bot: z.boolean(), first_name: z.string() }),
  }),
  z.object({ type: z.literal("custom_emoji"), ...position, custom_emoji_id: z.string() }),
]);

/** Refuses entities outside the text, sorts the rest like Telegram, and drops those beyond the limit. */
export function checkEntities(text: string, entities: readonly MessageEntity[]): MessageEntity[] {
  for (const entity of entities) {
    const { offset, length } = entity;
    if (offset < 0) throw badRequest(`can't parse entities: receive an entity with incorrect offset ${offset}`);
    if (length <= 0) throw badRequest(`can't parse entities: receive an entity with incorrect length ${length}`);
    if (offset + length > text.length) throw badRequest("entity ends after the end of the text");
    if (splitsCharacter(text, offset)) throw badRequest("entity begins in a middle of a UTF-16 symbol");
    if (splitsCharacter(text, offset + length)) throw badRequest("entity ends in a middle of a UTF-16 symbol");
    if (entity.type === "text_link" && !isPublicUrl(entity.url)) {
      throw badRequest(`entity URL '${entity.url}' is invalid: Wrong HTTP URL`);
    }
  }
  return entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length).slice(0, maxEntities);
}

/** Telegram requires a host with a dot, so `localhost` and local network names are refused. */
export function isPublicUrl(url: string): boolean {
  if (/^(tg|ton|mailto|tel):/i.test(url)) return true;
  const address = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return /[^.]\.[^.]/.test(hostname) && hostname !== "localhost";
}

function splitsCharacter(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** Telegram trims white space at both ends, but not inside an entity at the start. */
export function trimText({ text, entities }: FormattedText): FormattedText {
  const blank = text.length - text.trimStart().length;
  const start = Math.min(blank, ...entities.map(({ offset }) => offset));
  const trimmed = text.slice(start).trimEnd();
  const moved = entities.flatMap((entity) => {
    const offset = entity.offset - start;
    const length = Math.min(entity.length, trimmed.length - offset);
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: moved };
}
