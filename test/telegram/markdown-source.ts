import fc from "fast-check";

const marks =
  "* ** _ ~~ ` `` ``` ~~~ [ ]( ) ![ ]: < > # - + 1. | --- |-|-| - [x] \\ ! & : > = === https://a.b/ http://localhost".split(
    " ",
  );
const words = ["a", "Bc", "dé", "日本", "👨‍👩‍👧", "🇩🇪", "עברית", "\u0301"];
const spaces = [" ", "\n", "\n\n", "  ", "    ", "\t", "  \n", "\r\n"];

/** Pieces of Markdown in any order, so that most marks are unbalanced. */
export const markdownSource: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...marks, ...words, ...spaces, ...words, ...spaces), { maxLength: 60, size: "max" })
  .map((pieces) => pieces.join(""));
