import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { excerpt } from "./excerpt.ts";

test("the excerpt is the first paragraph, in one line without its marks", () => {
  expect(excerpt("\n## Fixed the **login** `bug`\n\nDetails")).toBe("Fixed the login bug");
  expect(excerpt("> - One\ntwo a_b_c.\n\nthree")).toBe("One two a_b_c.");
});

test("paragraphs that are only rules or symbols are skipped", () => {
  expect(excerpt("---\n\n✅\n\nDone")).toBe("Done");
  expect(excerpt("✅")).toBe("✅");
  expect(excerpt("")).toBe("");
});

test("an excerpt of code has no fence that could swallow what follows it", () => {
  expect(excerpt("```ts\nconst a = 1;\n```\n\nWhy?")).toBe("const a = 1;");
  expect(excerpt("> ```ts")).toBe("ts");
});

test("a long line is cut at a word", () => {
  expect(excerpt("The quick brown fox, which jumps", 22)).toBe("The quick brown fox…");
  expect(excerpt("The quick brown fox", 19)).toBe("The quick brown fox");
});

test("a long word is cut between characters", () => {
  expect(excerpt("a".repeat(100), 10)).toBe(`${"a".repeat(9)}…`);
  expect(excerpt("👨‍👩‍👧".repeat(5), 20)).toBe(`${"👨‍👩‍👧".repeat(2)}…`);
});

test("an excerpt is one line within its limit, and is empty only if the text is", () => {
  fc.assert(
    fc.property(markdownSource, fc.integer({ min: 2, max: 60 }), (markdown, max) => {
      const shown = excerpt(markdown, max);
      expect(shown.length).toBeLessThanOrEqual(max);
      expect(shown).not.toContain("\n");
      expect(shown).not.toMatch(/```|~~~/);
      if (/\p{L}/u.test(markdown)) expect(shown).not.toBe("");
    }),
    { numRuns: 1_000 },
  );
});
