/** The messages that a text is sent as: rich messages, or plain text where the server refuses those. Pure. */
import { splitMarkdown } from "../text/split-markdown.ts";

/** Both hold Markdown. In plain text it is shown as written. */
export type Style = "rich" | "plain";
export type Part = { style: Style; markdown: string };

/** `file`: the rest is too long for a chat. `done`: everything was sent. */
type NextPart = { kind: "part"; part: Part; isLast: boolean } | { kind: "file"; text: string } | { kind: "done" };

/** The Bot API's limits. */
const limits: Readonly<Record<Style, number>> = { rich: 32_768, plain: 4096 };
/** The rest is sent as a file. */
const maxParts = 8;

/**
 * The part after those that were sent. The style can change in between: after a refusal, or after a restart, when the
 * server's abilities are not yet known. Parts that were sent stay, and a text that has become plain stays plain.
 */
export function nextPart(markdown: string, sent: Readonly<Record<Style, number>>, wanted: Style): NextPart {
  const style = sent.plain > 0 ? "plain" : wanted;
  const source = style === "plain" && sent.rich > 0 ? afterRich(markdown, sent.rich) : markdown;
  const { parts, rest } = splitMarkdown(source, limits[style], maxParts);
  const index = sent[style];
  const part = parts[index];
  if (part !== undefined) {
    return { kind: "part", part: { style, markdown: part }, isLast: index === parts.length - 1 && rest === null };
  }
  return rest === null || index > parts.length ? { kind: "done" } : { kind: "file", text: rest };
}

function afterRich(markdown: string, count: number): string {
  return splitMarkdown(markdown, limits.rich, count).rest ?? "";
}

/** The end of a text, as much as fits into one message. Null if there is nothing to show. */
export function lastPart(markdown: string, style: Style): Part | null {
  const part = splitMarkdown(markdown, limits[style]).parts.at(-1);
  return part === undefined ? null : { style, markdown: part };
}
