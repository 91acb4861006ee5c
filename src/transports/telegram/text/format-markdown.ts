/**
 * Formats Markdown as text with entities, for Bot API servers without rich messages. Never throws, and drops only
 * markup: source that cannot be parsed stays as written.
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

/** marked pads every short row to the header's column count, however large that is. */
const veryWideTable = /^[^\S\n]*\|?(?:[ \t]*:?-+:?[ \t]*\|){32}/m;

/** Thousands of nested marks overflow the stack, in marked or here. The answer is then sent as written. */
function formatSource(source: string): FormattedText {
  if (veryWideTable.test(source)) return plainText(source);
  try {
    return formatBlocks(lexMarkdown(source), false);
  } catch {
    return plainText(source);
  }
}
