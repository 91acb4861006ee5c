import fc from "fast-check";
import { expect, test } from "vitest";
import { nextPart } from "./next-part.ts";
import type { Style } from "./render.ts";

const words = (count: number) => Array.from({ length: count }, (_, number) => `word${number}`).join(" ");

/** The texts of all parts, sent one by one; `styleAt` gives the style that the server supports at each. */
function sendAll(markdown: string, styleAt: (index: number) => Style): string[] {
  const sent: string[] = [];
  const refs: { message: number; style: "rich" | "text" }[] = [];
  for (;;) {
    const next = nextPart(markdown, refs, styleAt(refs.length));
    if (next.kind === "done") return sent;
    if (next.kind === "file") return [...sent, next.text];
    sent.push(next.part.kind === "rich" ? next.part.markdown : next.part.text);
    if (next.isLast) return sent;
    refs.push({ message: refs.length, style: next.part.kind });
  }
}

const wordsIn = (parts: readonly string[]) => parts.join(" ").match(/word\d+/g) ?? [];

test("a text that began without rich messages continues without them, even after a restart", () => {
  const text = words(2000);
  const parts = sendAll(text, (index) => (index === 0 ? "entities" : "rich"));
  expect(parts.length).toBeGreaterThan(1);
  expect(wordsIn(parts)).toEqual(wordsIn([text]));
});

test("nothing is lost or repeated when the supported style changes between parts", () => {
  const styles = fc.array(fc.constantFrom<Style>("rich", "entities", "plain"), { minLength: 1, maxLength: 12 });
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
  expect(wordsIn(sendAll(text, () => "entities"))).toEqual(wordsIn([text]));
});
