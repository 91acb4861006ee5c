/** Turns the text of a request into the text of a message: parsed, trimmed, checked. */
import type { MessageEntity } from "grammy/types";
import { badRequest } from "../bot-api-error.ts";
import { detectEntities } from "./detect-entities.ts";
import type { FormattedText } from "./entity.ts";
import { checkEntities, trimText } from "./entity.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

export const maxTextLength = 4096;
export const maxCaptionLength = 1024;

export type TextInput = {
  text: string;
  parseMode?: string | undefined;
  entities?: readonly MessageEntity[] | undefined;
};

export function formatText(input: TextInput): FormattedText {
  const parsed = parse(input);
  const checked = { text: parsed.text, entities: checkEntities(parsed.text, parsed.entities) };
  const { text, entities } = trimText(checked);
  return { text, entities: detectEntities(text, entities) };
}

function parse({ text, parseMode, entities = [] }: TextInput): FormattedText {
  switch (parseMode?.toLowerCase() ?? "") {
    case "":
      return { text, entities: [...entities] };
    case "html":
      return parseHtml(text);
    case "markdownv2":
      return parseMarkdown(text, "MarkdownV2");
    case "markdown":
      return parseMarkdown(text, "Markdown");
    default:
      throw badRequest("unsupported parse_mode");
  }
}

/** The limit counts characters, not UTF-16 units. */
export function characterCount(text: string): number {
  return [...text].length;
}

/** The text of a message, as opposed to a caption. */
export function formatMessageText(input: TextInput): FormattedText {
  const formatted = formatText(input);
  if (formatted.text === "") throw badRequest("message text is empty");
  if (characterCount(formatted.text) > maxTextLength) throw badRequest("message is too long");
  return formatted;
}

export function formatCaption(input: TextInput): FormattedText {
  const formatted = formatText(input);
  if (characterCount(formatted.text) > maxCaptionLength) throw badRequest("message caption is too long");
  return formatted;
}
