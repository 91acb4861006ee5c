/**
 * Which part of a text is sent next. The style can change between parts: after a refusal, or after a restart, when the
 * server's abilities are not yet known. Parts that were sent stay, and the rest follows in the new style. Pure.
 */
import { countParts } from "./chat-row.ts";
import type { Part, Style } from "./render.ts";
import { partsOf, richPartsOf } from "./render.ts";

/** `file`: the rest is too long for a chat. `done`: everything was sent. */
export type NextPart =
  | { kind: "part"; part: Part; isLast: boolean }
  | { kind: "file"; text: string }
  | { kind: "done" };

export function nextPart(markdown: string, refs: readonly unknown[], wanted: Style): NextPart {
  const sent = countParts(refs);
  const style = sent.text > 0 && wanted === "rich" ? "entities" : wanted;
  const source = style === "rich" || sent.rich === 0 ? markdown : richPartsOf(markdown).slice(sent.rich).join("\n\n");
  const { parts, rest } = partsOf(source, style);
  const index = style === "rich" ? sent.rich : sent.text;
  const part = parts[index];
  if (part) return { kind: "part", part, isLast: index === parts.length - 1 && rest === null };
  return rest === null || index > parts.length ? { kind: "done" } : { kind: "file", text: rest };
}
