import { expect, test } from "vitest";
import { stderrTail } from "./stderr-tail.ts";

test("the tail has the last five lines, without colours and empty lines", () => {
  const output = "one\n\ntwo\n\u001b[31mthree\u001b[0m\nfour\n five \nsix\n";
  expect(stderrTail(output, {})).toBe("two / three / four / five / six");
});

test("a key from the program's environment never appears, even where the text is truncated", () => {
  const key = "sk-ant-0123456789";
  const words = stderrTail(`refused: ${key} ${"x".repeat(490)}`, { ANTHROPIC_API_KEY: key });
  expect(words).not.toContain("456789");
  expect(stderrTail(`refused: ${key}`, { ANTHROPIC_API_KEY: key })).toBe("refused: (secret)");
});

test("two secrets with a common prefix are both removed completely", () => {
  const environment = { A_TOKEN: "secret-one", B_TOKEN: "secret-one-and-more" };
  expect(stderrTail("secret-one-and-more", environment)).toBe("(secret)");
});
