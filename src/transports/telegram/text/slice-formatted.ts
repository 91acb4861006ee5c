/** Cuts a part out of formatted text, as a separate message. Entities that extend beyond it are cut at its ends. */
import type { MessageEntity } from "grammy/types";
import { endOf, type FormattedText, isCode } from "./formatted-text.ts";

/** `entities` are those that touch the part. Drops empty lines at the beginning and white space at the end. */
export function sliceFormatted(
  text: string,
  entities: readonly MessageEntity[],
  from: number,
  to: number,
): FormattedText {
  const part = text.slice(from, to);
  const start = from + (/^(?:[^\S\n]*\n)+/.exec(part)?.[0].length ?? 0);
  const end = Math.max(start, from + part.trimEnd().length);
  const kept = entities.flatMap((entity) => {
    const first = entity.offset < start ? continuedAt(text, entity, start) : entity.offset;
    const length = Math.min(endOf(entity), end) - first;
    return length > 0 ? [{ ...entity, offset: first - start, length }] : [];
  });
  return { text: text.slice(start, end), entities: kept };
}

/** Code and the quote around it keep the indentation of their first line; other entities do not begin with a space. */
function continuedAt(text: string, entity: MessageEntity, start: number): number {
  if (isCode(entity) || entity.type === "blockquote" || entity.type === "expandable_blockquote") return start;
  const rest = text.slice(start, endOf(entity));
  return start + rest.length - rest.trimStart().length;
}
