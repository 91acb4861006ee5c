/** Text with Telegram entities. Offsets count UTF-16 units, as Telegram's do. */
import type { MessageEntity } from "grammy/types";

export type FormattedText = { text: string; entities: readonly MessageEntity[] };

export const emptyText: FormattedText = { text: "", entities: [] };

export function plainText(text: string): FormattedText {
  return { text, entities: [] };
}

export function concatenated(parts: readonly FormattedText[]): FormattedText {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const texts: string[] = [];
  const entities: MessageEntity[] = [];
  let offset = 0;
  for (const part of parts) {
    texts.push(part.text);
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + offset });
    offset += part.text.length;
  }
  return { text: texts.join(""), entities };
}

export function endOf(entity: MessageEntity): number {
  return entity.offset + entity.length;
}

/** Nothing is formatted inside `pre` and `code`. */
export function isCode(entity: MessageEntity): boolean {
  return entity.type === "pre" || entity.type === "code";
}

/** Outer entities come before those they contain. */
export function sortedEntities(entities: readonly MessageEntity[]): readonly MessageEntity[] {
  return entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length);
}

/** Removes surrounding white space, but keeps the indentation of code at the beginning. */
export function trimmed({ text, entities }: FormattedText): FormattedText {
  const end = text.trimEnd().length;
  const firstCode = entities.filter(isCode).reduce((first, { offset }) => Math.min(first, offset), end);
  const start = Math.min(end - text.slice(0, end).trimStart().length, firstCode);
  const kept = entities.flatMap((entity) => {
    const offset = Math.max(entity.offset, start);
    const length = Math.min(endOf(entity), end) - offset;
    return length > 0 ? [{ ...entity, offset: offset - start, length }] : [];
  });
  return { text: text.slice(start, end), entities: kept };
}
