import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { splitLines } from "./split-lines.ts";

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

test("lines are told as they were said, however they arrive", async () => {
  expect(await linesOf(["one\ntw", "o\n", "\n  \nthree\n"])).toEqual(["one", "two", "three"]);
});

test("a character that is cut in two arrives whole", async () => {
  const bytes = Buffer.from("grüße\n");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(["grüße"]);
  }
});

test("what was said without a line's end is told at the end", async () => {
  expect(await linesOf(["one\ncut o"])).toEqual(["one", "cut o"]);
});

test("of a line that is far too long the beginning is told, and the next one is whole", async () => {
  expect(await linesOf(["abcdefgh", "ijk", "lmn\nnext\n"], 10)).toEqual(["abcdefghij", "next"]);
});
