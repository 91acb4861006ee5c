/** Adds the entities that Telegram detects in a text: commands, mentions, hashtags and URLs. */
import type { MessageEntity } from "grammy/types";

const patterns: { type: "bot_command" | "mention" | "hashtag" | "url"; pattern: RegExp }[] = [
  { type: "url", pattern: /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]/g },
  { type: "bot_command", pattern: /(?<![\w/<>@])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z]\w{2,31})?(?![\w/])/g },
  { type: "mention", pattern: /(?<![\w@/])@[A-Za-z]\w{3,31}(?!\w)/g },
  { type: "hashtag", pattern: /(?<![\w#])#[\p{L}_][\p{L}\p{N}_]*/gu },
];
/** Nothing is detected inside these. */
const closed = new Set(["code", "pre", "text_link", "text_mention", "url", "bot_command", "mention", "hashtag"]);

export function detectEntities(text: string, given: readonly MessageEntity[]): MessageEntity[] {
  const found: MessageEntity[] = [...given];
  for (const { type, pattern } of patterns) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (!found.some((other) => closed.has(other.type) && overlaps(entity, other))) found.push(entity);
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}

function overlaps(one: { offset: number; length: number }, other: { offset: number; length: number }): boolean {
  return one.offset < other.offset + other.length && other.offset < one.offset + one.length;
}
