/**
 * Puts an entity around formatted text, within Telegram's rules: no white space at its ends, no entity inside another
 * of the same type, none around or inside code. Only a quote may contain code.
 */
import type { MessageEntity } from "grammy/types";
import { emptyText, endOf, type FormattedText, isCode, trimmed } from "./formatted-text.ts";

export type Style = "bold" | "italic" | "strikethrough";
type Range = { start: number; end: number };

/** A longer quote is collapsed until the reader expands it. */
const longQuote = { lines: 8, characters: 700 };

/** The style covers only the text around code. */
export function styled(inner: FormattedText, type: Style): FormattedText {
  const others = inner.entities.filter((entity) => entity.type !== type);
  const ranges = rangesOutsideCode(inner).flatMap((range) => trimmedRange(inner.text, range));
  const styles = ranges.map(({ start, end }): MessageEntity => ({ type, offset: start, length: end - start }));
  return { text: inner.text, entities: [...styles, ...others] };
}

/** A label in code loses its code style, because a link cannot contain code. */
export function linked(label: FormattedText, url: string): FormattedText {
  const styles = label.entities.filter((entity) => !isCode(entity) && entity.type !== "text_link");
  const links = trimmedRange(label.text, { start: 0, end: label.text.length }).map(
    ({ start, end }): MessageEntity => ({ type: "text_link", url, offset: start, length: end - start }),
  );
  return { text: label.text, entities: [...links, ...styles] };
}

export function quoted(inner: FormattedText): FormattedText {
  const { text, entities } = trimmed(inner);
  if (text === "") return emptyText;
  const isLong = text.length > longQuote.characters || text.split("\n").length > longQuote.lines;
  const type = isLong ? "expandable_blockquote" : "blockquote";
  return { text, entities: [{ type, offset: 0, length: text.length }, ...entities] };
}

export function inlineCode(text: string): FormattedText {
  const ranges = trimmedRange(text, { start: 0, end: text.length });
  return { text, entities: ranges.map(({ start, end }) => ({ type: "code", offset: start, length: end - start })) };
}

/** Keeps the first line's indentation, and drops empty lines around the code. */
export function preformatted(code: string, language: string): FormattedText {
  const text = code.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  if (text === "") return { text, entities: [] };
  const place = { type: "pre", offset: 0, length: text.length } as const;
  return { text, entities: [language === "" ? place : { ...place, language }] };
}

function rangesOutsideCode({ text, entities }: FormattedText): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  for (const code of entities.filter(isCode).sort((one, other) => one.offset - other.offset)) {
    ranges.push({ start, end: code.offset });
    start = endOf(code);
  }
  return [...ranges, { start, end: text.length }];
}

/** Empty if there is only white space. */
function trimmedRange(text: string, { start, end }: Range): Range[] {
  const part = text.slice(start, end);
  const visible = part.trim();
  if (visible === "") return [];
  const from = start + part.length - part.trimStart().length;
  return [{ start: from, end: from + visible.length }];
}
