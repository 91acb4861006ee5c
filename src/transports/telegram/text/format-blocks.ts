/** Formats Markdown blocks: paragraphs, headings, lists, quotes, code, tables. */
import type { MarkedToken, Token, Tokens } from "marked";
import { formatCode } from "./format-code.ts";
import { formatInline } from "./format-inline.ts";
import { formatTable } from "./format-table.ts";
import { concatenated, emptyText, type FormattedText, plainText, trimmed } from "./formatted-text.ts";
import { known } from "./lex-markdown.ts";
import { prefixLines } from "./prefix-lines.ts";
import { quoted, styled } from "./style.ts";

type Block = { formatted: FormattedText; raw: string };

const rule = "—".repeat(8);

/** A nested quote keeps its markers, because Telegram does not nest quotes. */
export function formatBlocks(tokens: readonly Token[], inQuote: boolean): FormattedText {
  return joined(known(tokens).map((token) => ({ formatted: formatBlock(token, inQuote), raw: token.raw })));
}

function formatBlock(token: MarkedToken, inQuote: boolean): FormattedText {
  switch (token.type) {
    case "space":
      return emptyText;
    case "heading":
      return styled(formatInline(token.tokens, "entity"), "bold");
    case "hr":
      return plainText(rule);
    case "code":
      return formatCode(token);
    case "table":
      return formatTable(token);
    case "list":
      return formatList(token, inQuote);
    case "list_item":
      return formatBlocks(token.tokens, inQuote);
    case "blockquote":
      return formatQuote(token, inQuote);
    case "paragraph":
      return formatInline(token.tokens, "entity");
    case "def":
    case "html":
      return plainText(token.raw);
    case "br":
    case "checkbox":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "strong":
    case "text":
      return formatInline([token], "entity");
    default:
      return token satisfies never;
  }
}

function formatQuote({ tokens }: Tokens.Blockquote, inQuote: boolean): FormattedText {
  const inner = trimmed(formatBlocks(tokens, true));
  return inQuote ? prefixLines(inner, "> ", "> ") : quoted(inner);
}

function formatList(list: Tokens.List, inQuote: boolean): FormattedText {
  const first = list.start === "" ? 1 : list.start;
  const items = list.items.map((item, index) => {
    const marker = (list.ordered ? `${first + index}. ` : item.task ? "" : "• ") + boxOf(item);
    return { formatted: formatItem(trimmed(formatBlocks(item.tokens, inQuote)), marker), raw: item.raw };
  });
  return joined(items);
}

function boxOf({ task, checked }: Tokens.ListItem): string {
  if (!task) return "";
  return checked ? "☑ " : "☐ ";
}

/** Code begins on its own line. */
function formatItem(content: FormattedText, marker: string): FormattedText {
  const indent = " ".repeat(marker.length);
  const startsWithCode = content.entities.some(({ type, offset }) => type === "pre" && offset === 0);
  if (!startsWithCode) return prefixLines(content, marker, indent);
  return concatenated([plainText(`${marker.trimEnd()}\n`), prefixLines(content, "", indent)]);
}

/** Puts an empty line between blocks where the source has one. */
function joined(blocks: readonly Block[]): FormattedText {
  const parts: FormattedText[] = [];
  let isApart = false;
  for (const { formatted, raw } of blocks) {
    const isEmpty = formatted.text.trim() === "";
    if (!isEmpty) parts.push(plainText(parts.length === 0 ? "" : isApart ? "\n\n" : "\n"), trimmed(formatted));
    isApart = /\n[^\S\n]*\n[^\S\n]*$/.test(raw) || (isEmpty && isApart);
  }
  return concatenated(parts);
}
