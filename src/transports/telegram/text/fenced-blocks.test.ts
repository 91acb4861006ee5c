import fc from "fast-check";
import { Lexer } from "marked";
import { expect, test } from "vitest";
import { diffFence, fence } from "./fenced-blocks.ts";

test("a fence has its language and ends on its own line", () => {
  expect(fence("a\nb", "ts")).toBe("```ts\na\nb\n```");
  expect(fence("a\n")).toBe("```\na\n```");
  expect(fence("")).toBe("```\n```");
  expect(diffFence("-a\n+b")).toBe("```diff\n-a\n+b\n```");
});

test("a language cannot break out of its line", () => {
  expect(fence("a", "ts\n```\nx")).toBe("```ts\na\n```");
  expect(fence("a", "```")).toBe("```\na\n```");
});

test("no text can close its own fence", () => {
  const line = fc.constantFrom("a", "`", "```", "````js", "~~~", "", "  ", "```` ");
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = `x\n${lines.join("\n")}\ny`;
      const tokens = new Lexer({ gfm: true }).lex(fence(text, "sh"));
      expect([...tokens]).toEqual([expect.objectContaining({ type: "code", lang: "sh", text })]);
    }),
  );
});
