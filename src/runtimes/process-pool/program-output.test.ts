import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { splitLines, stderrTail } from "./program-output.ts";

async function linesOf(chunks: readonly (string | Buffer)[], longest?: number): Promise<string[]> {
  const lines: string[] = [];
  const stream = new PassThrough();
  splitLines(stream, (line) => lines.push(line), longest);
  const ended = once(stream, "end");
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await ended;
  return lines;
}

test("lines are passed on unchanged, however the stream splits them", async () => {
  expect(await linesOf(["one\ntw", "o\n", "\n  \nthree\n"])).toEqual(["one", "two", "three"]);
});

test("a character that is split between chunks arrives intact", async () => {
  const bytes = Buffer.from("grüße\n");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(["grüße"]);
  }
});

test("a last line without a line end is passed on when the stream ends", async () => {
  expect(await linesOf(["one\ncut o"])).toEqual(["one", "cut o"]);
});

test("an overlong line is truncated, and the next one is complete", async () => {
  expect(await linesOf(["abcdefgh", "ijk", "lmn\nnext\n"], 10)).toEqual(["abcdefghij", "next"]);
});

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
