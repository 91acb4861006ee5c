/** Rich messages: validates the input, and builds the blocks that a message shows. */
import type { RichBlock, RichMessage } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import { characterCount } from "./format-text.ts";

const maxRichLength = 32_768;
const maxBlocks = 500;

export const richMessageSchema = z.object({
  markdown: z.string().optional(),
  html: z.string().optional(),
  blocks: z.array(z.looseObject({ type: z.string() })).optional(),
  is_rtl: z.boolean().optional(),
});
export type RichInput = z.output<typeof richMessageSchema>;

/** The text of a rich message: its source, or the text of its blocks. */
export function richText(input: RichInput): string {
  return input.markdown ?? input.html ?? wordsOf(input.blocks ?? []);
}

export function readRichMessage(input: RichInput, { mayBeEmpty = false } = {}): RichMessage {
  const given = [input.markdown, input.html, input.blocks].filter((value) => value !== undefined);
  if (given.length !== 1) throw badRequest("exactly one of the fields html, markdown and blocks must be used");
  const text = richText(input);
  if (text.trim() === "" && !mayBeEmpty) throw badRequest("message text is empty");
  if (characterCount(text) > maxRichLength) throw badRequest("message is too long");
  const blocks = input.blocks ? (input.blocks as RichBlock[]) : blocksOf(text);
  if (blocks.length > maxBlocks) throw badRequest("too many blocks in the rich message");
  return { blocks, ...(input.is_rtl ? { is_rtl: true } : {}) };
}

/** Parses just enough Markdown to tell paragraphs, headings and code apart. */
function blocksOf(source: string): RichBlock[] {
  const blocks: RichBlock[] = [];
  const pieces = source.matchAll(/^```([^\n`]*)\n([\s\S]*?)(?:\n```[ \t]*$|$(?![\s\S]))|^(#{1,6}) (.*)$|[^\n]+/gm);
  let follows = -1;
  for (const { 0: whole, 1: language, 2: code, 3: signs, 4: heading, index } of pieces) {
    const last = blocks.at(-1);
    if (code !== undefined) blocks.push({ type: "pre", text: code, ...(language ? { language } : {}) });
    else if (signs && heading !== undefined) blocks.push({ type: "heading", text: heading, size: sizeOf(signs) });
    else if (last?.type === "paragraph" && index === follows) last.text = `${last.text}\n${whole}`;
    else blocks.push({ type: "paragraph", text: whole });
    follows = index + whole.length + 1;
  }
  return blocks;
}

function sizeOf(signs: string): 1 | 2 | 3 | 4 | 5 | 6 {
  return ([1, 2, 3, 4, 5, 6] as const).find((size) => size === signs.length) ?? 6;
}

/** Blocks have text in many fields, nested to any depth. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(" ");
  if (typeof value !== "object" || value === null) return "";
  const { type: _, language: __, url: ___, ...rest } = value as Record<string, unknown>;
  return Object.values(rest).map(wordsOf).filter(Boolean).join(" ");
}
