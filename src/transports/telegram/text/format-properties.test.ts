import { domainToUnicode } from "node:url";
import fc from "fast-check";
import type { MessageEntity } from "grammy/types";
import { expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { endOf, type FormattedText, isCode } from "./formatted-text.ts";

/** Everything that a reader gets: the text, the URLs and languages in its entities, the x of a checked box. */
function readable({ text, entities }: FormattedText): string {
  const hidden = entities
    .flatMap((entity) => {
      if (entity.type === "text_link") return [{ at: endOf(entity), note: entity.url + asShown(entity.url) }];
      return entity.type === "pre" && entity.language ? [{ at: entity.offset, note: entity.language }] : [];
    })
    .sort((one, other) => one.at - other.at);
  let from = 0;
  const parts = hidden.map(({ at, note }) => {
    const part = text.slice(from, at) + note;
    from = at;
    return part;
  });
  return (parts.join("") + text.slice(from)).replaceAll("☑", "x");
}

/** A URL is sent with escaped letters, which browsers show unescaped. */
function asShown(url: string): string {
  const escaped = /(?:%[0-9a-f]{2})+/gi;
  const { hostname } = new URL(url);
  return (
    domainToUnicode(hostname) +
    url.replace(escaped, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())
  );
}

/** The letters of a source that a reader does not get. Extra ones are fine: a used definition is also kept as text. */
function missingLetters(markdown: string): string[] {
  const left = new Map<string, number>();
  for (const [letter] of readable(formatMarkdown(markdown)).matchAll(/\p{L}/gu)) {
    left.set(letter, (left.get(letter) ?? 0) + 1);
  }
  return [...withoutReferences(markdown).matchAll(/\p{L}/gu)].flatMap(([letter]) => {
    const count = left.get(letter) ?? 0;
    left.set(letter, count - 1);
    return count > 0 ? [] : [letter];
  });
}

/** In `[text][name]`, a defined name is syntax: the reader gets the address instead. */
function withoutReferences(markdown: string): string {
  const nameOf = (name: string) => name.trim().toLowerCase();
  const defined = new Set([...markdown.matchAll(/\[([^\]]+)\]:/g)].map(([, name = ""]) => nameOf(name)));
  return markdown.replace(/\]\[([^\]]+)\]/g, (reference, name: string) =>
    defined.has(nameOf(name)) ? "]" : reference,
  );
}

function expectValid({ text, entities }: FormattedText): void {
  for (const [index, entity] of entities.entries()) {
    const covered = text.slice(entity.offset, endOf(entity));
    expect(covered.length).toBe(entity.length);
    expect(covered.trim()).not.toBe("");
    if (!isCode(entity) && !entities.some((code) => isCode(code) && code.offset === entity.offset))
      expect(covered).toBe(covered.trim());
    for (const other of entities.slice(index + 1)) expectOrdered(entity, other);
  }
}

function expectOrdered(before: MessageEntity, after: MessageEntity): void {
  expect(after.offset).toBeGreaterThanOrEqual(before.offset);
  if (after.offset >= endOf(before)) return;
  expect(endOf(after)).toBeLessThanOrEqual(endOf(before));
  expect(after.type).not.toBe(before.type);
  expect(isCode(before)).toBe(false);
  if (isCode(after)) expect(before.type).toMatch(/blockquote$/);
}

test("every letter of any Markdown is kept", () => {
  fc.assert(
    fc.property(markdownSource, (markdown) => {
      expect(missingLetters(markdown)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("letters in an image's URL are kept", () => {
  expect(missingLetters("![*](https://ä.b/dé)")).toEqual([]);
});

test("of a link by reference, the text, the address and the definition are kept", () => {
  expect(missingLetters("[a][b]\n\n[b]:*c")).toEqual([]);
  expect(readable(formatMarkdown("[a][b]\n\n[b]:*c"))).toBe("a (*c)\n\n[b]:*c");
});

test("entities of any Markdown are valid for Telegram", () => {
  fc.assert(
    fc.property(markdownSource, (markdown) => expectValid(formatMarkdown(markdown))),
    { numRuns: 2_000 },
  );
});

test("any string is formatted without losing letters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expectValid(formatMarkdown(text));
      expect(missingLetters(text)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("an answer that is cut anywhere keeps its letters", () => {
  const answer = [
    "# Fixed **it**\n\nSee [the docs](https://example.com/a_b) and `src/a.ts`:\n\n1. one\n   ```ts title\n   const a = `x`;\n",
    "   ```\n2. two\n   - [x] done *soon*\n\n> quote\n> > deeper ~~gone~~\n\n| a | b |\n|---|:-:|\n| `x|y` | **z** |\n\n---\n",
    "![pic](https://example.com/p.png 'title')\n\n    indented\n\n<details>x</details> \\*end\\*",
  ].join("");
  for (let end = 0; end <= answer.length; end += 1) {
    expectValid(formatMarkdown(answer.slice(0, end)));
    expect(missingLetters(answer.slice(0, end))).toEqual([]);
  }
});
