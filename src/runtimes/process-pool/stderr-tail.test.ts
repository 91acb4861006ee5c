import { expect, test } from "vitest";
import { stderrTail } from "./stderr-tail.ts";

test("the last five lines are told, without colours and empty lines", () => {
  const output = "one\n\ntwo\n\u001b[31mthree\u001b[0m\nfour\n five \nsix\n";
  expect(stderrTail(output, {})).toBe("two / three / four / five / six");
});

test("a key of the program's environment is not told, also where the words are cut", () => {
  const key = "sk-ant-0123456789";
  const words = stderrTail(`refused: ${key} ${"x".repeat(490)}`, { ANTHROPIC_API_KEY: key });
  expect(words).not.toContain("456789");
  expect(stderrTail(`refused: ${key}`, { ANTHROPIC_API_KEY: key })).toBe("refused: (secret)");
});

test("of two secrets of which one begins with the other, nothing is left over", () => {
  const environment = { A_TOKEN: "secret-one", B_TOKEN: "secret-one-and-more" };
  expect(stderrTail("secret-one-and-more", environment)).toBe("(secret)");
});
