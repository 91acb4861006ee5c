import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptOf, markedParts, searchedWords } from "./marks.ts";

const marked = (text: string, typed: string) =>
  markedParts(text, searchedWords(typed))
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join("");

describe("marks", () => {
  it("are on whole words, and on the beginning of the last one", () => {
    expect(marked("The build is green, greener than building", "build gre")).toBe(
      "The [build] is [green], [greener] than building",
    );
  });

  it("ignore case and accents", () => {
    expect(marked("Un CAFÉ, cafe\u0301 et cafétéria", "café")).toBe("Un [CAFÉ], [cafe\u0301] et [cafétéria]");
  });

  it("treat markup as text", () => {
    expect(marked('<img src=x onerror="alert(1)">', "img")).toBe('<[img] src=x onerror="alert(1)">');
  });

  it("need a word", () => {
    expect(searchedWords(" …?! ")).toBeNull();
    expect(marked("anything", "?!")).toBe("anything");
  });

  it("work in any script", () => {
    expect(marked("сборка зелёная", "зелёная")).toBe("сборка [зелёная]");
  });

  it("lose nothing of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.string({ maxLength: 6 }), (text, typed) => {
        const parts = markedParts(text, searchedWords(typed));
        expect(parts.map((part) => part.text).join("")).toBe(text);
        expect(parts.every((part) => part.text !== "")).toBe(true);
      }),
    );
  });
});

describe("an excerpt", () => {
  const long = `${"before ".repeat(100)}needle ${"after ".repeat(100)}`;

  it("is all of a short text, on one line", () => {
    expect(excerptOf(" a\n\n b\tc ", null, 100)).toBe("a b c");
  });

  it("shows the first match with the text around it", () => {
    const excerpt = excerptOf(long, searchedWords("needle"), 120);
    expect(excerpt).toMatch(/^…(before )+needle (after )+/);
    expect(excerpt.length).toBeLessThanOrEqual(122);
  });

  it("starts at the beginning if nothing matches", () => {
    expect(excerptOf(long, searchedWords("nothing"), 20)).toBe("before before before…");
  });

  it("ends with the text if the match is near its end", () => {
    expect(excerptOf(`${"word ".repeat(50)}needle`, searchedWords("needle"), 40)).toMatch(/^….*needle$/);
  });
});
