/** Renders a text as rich messages, as messages with entities, or plain. Pure. */
import type { MessageEntity } from "grammy/types";
import { formatMarkdown } from "../text/format-markdown.ts";
import { splitMarkdown } from "../text/split-markdown.ts";
import { splitText } from "../text/split-text.ts";

export type Part =
  | { kind: "rich"; markdown: string }
  | { kind: "text"; text: string; entities: readonly MessageEntity[] };
export type Style = "rich" | "entities" | "plain";

/** The rest is sent as a file. */
const maxParts = 8;
export const richLimit = 32_768;
export const textLimit = 4096;

/** `rest` is what did not fit into the parts. */
export function partsOf(markdown: string, style: Style): { parts: readonly Part[]; rest: string | null } {
  if (style === "rich") {
    const parts = richPartsOf(markdown);
    const shown = parts.slice(0, maxParts).map((part): Part => ({ kind: "rich", markdown: part }));
    return { parts: shown, rest: parts.length > maxParts ? parts.slice(maxParts).join("\n") : null };
  }
  const { chunks, rest } = splitText(formatMarkdown(markdown), textLimit, maxParts);
  // Both styles have the same chunks, so that a refused one can be sent again without its entities.
  const shown = ({ text, entities }: (typeof chunks)[number]): Part => {
    return { kind: "text", text, entities: style === "plain" ? [] : entities };
  };
  return { parts: chunks.map(shown), rest };
}

export function richPartsOf(markdown: string): readonly string[] {
  return splitMarkdown(markdown, richLimit);
}
