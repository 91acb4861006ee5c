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
