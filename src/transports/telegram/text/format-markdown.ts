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
    case "markdown": {
      const tokens = lexMarkdown(section.raw);
      return tokens === null ? plainText(section.raw) : formatBlocks(tokens, false);
    }
    default:
      return section satisfies never;
  }
}
