import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { plainSummary } from "./plain-summary.ts";

test("the summary is the first block, in one line without markup", () => {
  expect(plainSummary("\n## Fixed the **login** `bug`\n\nDetails", 80)).toBe("Fixed the login bug");
  expect(plainSummary("One\ntwo [three](https://example.com).\n\nfour", 80)).toBe("One two three.");
});

test("blocks that are only rules or symbols are skipped", () => {
  expect(plainSummary("---\n\n✅\n\nDone", 80)).toBe("Done");
  expect(plainSummary("✅", 80)).toBe("✅");
  expect(plainSummary("", 80)).toBe("");
});

test("a long line is cut at a word", () => {
  expect(plainSummary("The quick brown fox, which jumps", 22)).toBe("The quick brown fox…");
  expect(plainSummary("The quick brown fox", 19)).toBe("The quick brown fox");
});

test("a long word is cut between characters", () => {
  expect(plainSummary("a".repeat(100), 10)).toBe(`${"a".repeat(9)}…`);
  expect(plainSummary("👨‍👩‍👧".repeat(5), 20)).toBe(`${"👨‍👩‍👧".repeat(2)}…`);
});

test("a summary is one line within its limit, and is empty only if the text is", () => {
  fc.assert(
    fc.property(markdownSource, fc.integer({ min: 2, max: 60 }), (markdown, max) => {
      const summary = plainSummary(markdown, max);
      expect(summary.length).toBeLessThanOrEqual(max);
      expect(summary).not.toContain("\n");
      if (/\p{L}/u.test(markdown)) expect(summary).not.toBe("");
    }),
    { numRuns: 1_000 },
  );
});
