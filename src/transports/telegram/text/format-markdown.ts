/**
 * Markdown as text with entities, for Telegram servers without rich messages. Never throws, and loses nothing but marks:
 * what cannot be read as Markdown stays as it was written.
 */

import { formatBlocks } from "./format-blocks.ts";
import { formatCode } from "./format-code.ts";
import { concatenated, type FormattedText, plainText, sortedEntities, trimmed } from "./formatted-text.ts";
import { lexMarkdown } from "./lex-markdown.ts";
import { type Section, sectionsOf } from "./sections.ts";

export type { FormattedText } from "./formatted-text.ts";

export function formatMarkdown(markdown: string): FormattedText {
  const parts = sectionsOf(markdown.replace(/\r\n?/g, "\n"))
    .map((section) => trimmed(formatSection(section)))
    .filter(({ text }) => text !== "");
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [plainText("\n\n"), part]));
  const { text, entities } = concatenated(separated);
  return { text, entities: sortedEntities(entities) };
}

function formatSection(section: Section): FormattedText {
  switch (section.kind) {
    case "code":
      return formatCode({ text: section.text, lang: section.info, raw: section.raw });
    case "text":
      return plainText(section.raw);
    case "markdown":
      return formatSource(section.raw);
    default:
      return section satisfies never;
  }
}

/** marked fills every short row up to the columns of the header, however many there are. */
const veryWideTable = /^[^\S\n]*\|?(?:[ \t]*:?-+:?[ \t]*\|){32}/m;

/** Thousands of nested marks exceed the stack, in marked or here. An answer arrives all the same. */
function formatSource(source: string): FormattedText {
  if (veryWideTable.test(source)) return plainText(source);
  try {
    return formatBlocks(lexMarkdown(source), false);
  } catch {
    return plainText(source);
  }
}
