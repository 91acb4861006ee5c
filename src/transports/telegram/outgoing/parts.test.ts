import fc from "fast-check";
import { expect, test } from "vitest";
import type { Style } from "./parts.ts";
import { lastPart, nextPart } from "./parts.ts";

const words = (count: number) => Array.from({ length: count }, (_, number) => `word${number}`).join(" ");

/** The texts of all parts, sent one by one; `styleAt` gives the style that the server supports at each. */
function sendAll(markdown: string, styleAt: (index: number) => Style): string[] {
  const texts: string[] = [];
  const sent = { rich: 0, plain: 0 };
  for (;;) {
    const next = nextPart(markdown, sent, styleAt(texts.length));
    if (next.kind === "done") return texts;
    if (next.kind === "file") return [...texts, next.text];
    texts.push(next.part.markdown);
    if (next.isLast) return texts;
    sent[next.part.style] += 1;
  }
}

const wordsIn = (parts: readonly string[]) => parts.join(" ").match(/word\d+/g) ?? [];

test("a text that began without rich messages continues without them, even after a restart", () => {
  const text = words(2000);
  const parts = sendAll(text, (index) => (index === 0 ? "plain" : "rich"));
  expect(parts.length).toBeGreaterThan(1);
  expect(wordsIn(parts)).toEqual(wordsIn([text]));
});

test("nothing is lost or repeated when the supported style changes between parts", () => {
  const styles = fc.array(fc.constantFrom<Style>("rich", "plain"), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9000 }), styles, (count, given) => {
      const text = words(count);
      expect(wordsIn(sendAll(text, (index) => given[index % given.length] ?? "plain"))).toEqual(wordsIn([text]));
    }),
    { numRuns: 30 },
  );
});

test("the rest of a text that is too long for a chat is sent as a file", () => {
  const text = words(20_000);
  expect(wordsIn(sendAll(text, () => "plain"))).toEqual(wordsIn([text]));
});

test.each(["rich", "plain"] as const)("a part that is %s is within the Bot API's limit", (style) => {
  const limit = { rich: 32_768, plain: 4096 }[style];
  const parts = sendAll(words(5_000), () => style);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.slice(0, 8).every((part) => part.length <= limit)).toBe(true);
});

test("a plain text is the Markdown as written", () => {
  const next = nextPart("**a** [b](https://example.com)", { rich: 0, plain: 0 }, "plain");
  expect(next).toMatchObject({ part: { style: "plain", markdown: "**a** [b](https://example.com)" }, isLast: true });
});

test("the last part is the end of a long text, in one message", () => {
  const long = `${"A line of the answer.\n".repeat(4000)}The end.`;
  for (const [style, limit] of [
    ["rich", 32_768],
    ["plain", 4096],
  ] as const) {
    const part = lastPart(long, style);
    expect(part?.markdown).toContain("The end.");
    expect(part?.markdown.length).toBeLessThanOrEqual(limit);
  }
  expect(lastPart("", "rich")).toBeNull();
});
