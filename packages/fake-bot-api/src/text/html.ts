/** Parses the tags allowed with `parse_mode: "HTML"`. */
import type { MessageEntity } from "grammy/types";
import { badRequest } from "../bot-api-error.ts";
import type { FormattedText } from "./entity.ts";

type Open = { tag: string; attributes: string; offset: number };

const namedCharacters: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const simpleTags: Record<string, "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code"> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  code: "code",
};
const otherTags = ["a", "pre", "blockquote", "tg-emoji"];

export function parseHtml(source: string): FormattedText {
  const entities: MessageEntity[] = [];
  const open: Open[] = [];
  let text = "";
  for (const [piece] of source.matchAll(/<[^<>]*>|<|[^<]+/g)) {
    const tag = /^<(\/?)([a-z][a-z-]*)\b([^<>]*)>$/i.exec(piece);
    if (!tag) {
      if (piece.startsWith("<")) throw cannotParse(`Unsupported start tag "${piece.slice(1, 20)}"`);
      text += decodeCharacters(piece);
      continue;
    }
    const [, slash, name = "", attributes = ""] = tag;
    const tagName = name.toLowerCase();
    if (slash) {
      const last = open.pop();
      if (!last) throw cannotParse("Unexpected end tag");
      if (last.tag !== tagName)
        throw cannotParse(`Unmatched end tag, expected "</${last.tag}>", found "</${tagName}>"`);
      const entity = entityOf(last, text.length - last.offset, entities);
      if (entity && entity.length > 0) entities.push(entity);
    } else if (simpleTags[tagName] || otherTags.includes(tagName)) {
      open.push({ tag: tagName, attributes, offset: text.length });
    } else throw cannotParse(`Unsupported start tag "${tagName}"`);
  }
  const unclosed = open.pop();
  if (unclosed) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text, entities };
}

function entityOf(
  { tag, attributes, offset }: Open,
  length: number,
  before: MessageEntity[],
): MessageEntity | undefined {
  const simple = simpleTags[tag];
  if (simple) {
    const language = simple === "code" ? /class\s*=\s*"language-([^"]+)"/.exec(attributes)?.[1] : undefined;
    // `<pre><code class="language-x">` becomes one entity when `pre` closes.
    return language ? { type: "pre", offset, length, language } : { type: simple, offset, length };
  }
  if (tag === "pre") {
    const inner = before.find(
      (entity) => entity.type === "pre" && entity.offset === offset && entity.length === length,
    );
    return inner ? undefined : { type: "pre", offset, length };
  }
  if (tag === "blockquote") {
    return { type: /\bexpandable\b/.test(attributes) ? "expandable_blockquote" : "blockquote", offset, length };
  }
  if (tag === "a") {
    const url = decodeCharacters(/href\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? "");
    return url ? { type: "text_link", offset, length, url } : undefined;
  }
  const emoji = /emoji-id\s*=\s*"([^"]+)"/.exec(attributes)?.[1];
  return emoji ? { type: "custom_emoji", offset, length, custom_emoji_id: emoji } : undefined;
}

function decodeCharacters(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|amp|quot));/gi, (_, decimal, hexadecimal, name) => {
    if (name) return namedCharacters[name.toLowerCase()] ?? "";
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16));
  });
}

const cannotParse = (reason: string) => badRequest(`can't parse entities: ${reason}`);
