/** Parses `MarkdownV2` and the older `Markdown`, and refuses unbalanced marks and unescaped characters. */
import type { MessageEntity } from "grammy/types";
import { badRequest } from "../bot-api-error.ts";
import type { FormattedText } from "./entity.ts";

type Mark = { sign: string; type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler"; name: string };

const marks: Record<"MarkdownV2" | "Markdown", Mark[]> = {
  // Longer signs must come first.
  MarkdownV2: [
    { sign: "__", type: "underline", name: "Underline" },
    { sign: "||", type: "spoiler", name: "Spoiler" },
    { sign: "*", type: "bold", name: "Bold" },
    { sign: "_", type: "italic", name: "Italic" },
    { sign: "~", type: "strikethrough", name: "Strikethrough" },
  ],
  Markdown: [
    { sign: "*", type: "bold", name: "Bold" },
    { sign: "_", type: "italic", name: "Italic" },
  ],
};
const reserved = "]()>#+-=|{}.!";

export function parseMarkdown(source: string, mode: "MarkdownV2" | "Markdown"): FormattedText {
  const entities: MessageEntity[] = [];
  const open: { mark: Mark; offset: number }[] = [];
  let links: number[] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const escaped = mode === "MarkdownV2" ? /^\\([\x21-\x7e])/ : /^\\([_*`[])/;
    const escapedCharacter = escaped.exec(rest);
    const code = /^(```|`)/.exec(rest)?.[1];
    const mark = marks[mode].find(({ sign }) => rest.startsWith(sign));
    const linkEnd = links.length > 0 ? /^\]\(((?:\\.|[^)\\])*)\)/.exec(rest) : null;
    if (escapedCharacter) {
      text += escapedCharacter[1];
      at += 2;
    } else if (code) {
      const end = source.indexOf(code, at + code.length);
      if (end === -1) throw unclosed(code === "`" ? "Code" : "Pre", at);
      const inner = source.slice(at + code.length, end);
      const [, language, body = inner] = (code === "```" && /^([\w+#-]*)\n([\s\S]*)$/.exec(inner)) || [];
      const plain = body.replace(/\\([`\\])/g, "$1");
      const place = { offset: text.length, length: plain.length };
      if (plain.length > 0) {
        entities.push(
          code === "`" ? { type: "code", ...place } : { type: "pre", ...place, ...(language ? { language } : {}) },
        );
      }
      text += plain;
      at = end + code.length;
    } else if (mark) {
      const last = open.at(-1);
      if (last?.mark.sign === mark.sign) {
        open.pop();
        const length = text.length - last.offset;
        if (length > 0) entities.push({ type: mark.type, offset: last.offset, length });
      } else open.push({ mark, offset: text.length });
      at += mark.sign.length;
    } else if (rest.startsWith("[")) {
      links.push(text.length);
      at += 1;
    } else if (linkEnd) {
      const offset = links.at(-1) ?? 0;
      links = links.slice(0, -1);
      const url = (linkEnd[1] ?? "").replace(/\\(.)/g, "$1");
      if (url && text.length > offset) entities.push({ type: "text_link", offset, length: text.length - offset, url });
      at += linkEnd[0].length;
    } else {
      const [character = ""] = rest;
      const quotes = character === ">" && (at === 0 || source[at - 1] === "\n");
      if (mode === "MarkdownV2" && reserved.includes(character) && !quotes) {
        throw badRequest(
          `can't parse entities: Character '${character}' is reserved and must be escaped with the preceding '\\'`,
        );
      }
      if (!quotes) text += character;
      at += 1;
    }
  }
  const left = open.at(-1);
  if (left) throw unclosed(left.mark.name, left.offset);
  if (links.length > 0) throw unclosed("TextUrl", links[0] ?? 0);
  return { text, entities };
}

const unclosed = (name: string, offset: number) =>
  badRequest(`can't parse entities: Can't find end of ${name} entity at byte offset ${offset}`);
