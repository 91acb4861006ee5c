import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../json-fields.ts";
import { TranscriptFile } from "./transcript-file.ts";

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "row-file-"));
  path = join(directory, "rows.jsonl");
});
afterEach(() => rmSync(directory, { recursive: true }));

class Ids {
  readonly ids: unknown[] = [];
  add({ id }: Json): void {
    if (id !== undefined) this.ids.push(id);
  }
}
const row = (id: number) => JSON.stringify({ id, message: { content: [{ type: "text", text: `{"id":0} ${id}` }] } });
const idsIn = async (file: TranscriptFile<Ids>) => (await file.refresh()).ids;

test("reading continues where it stopped, and yields a row only once it is complete", async () => {
  const file = new TranscriptFile(path, () => new Ids());
  writeFileSync(path, `${row(1)}\n${row(2).slice(0, 20)}`);
  expect(await idsIn(file)).toEqual([1]);
  appendFileSync(path, `${row(2).slice(20)}\n`);
  expect(await idsIn(file)).toEqual([1, 2]);
});

test("a row that is appended to a truncated row in the same line is read, wherever the cut is", async () => {
  for (let cut = 1; cut < row(2).length; cut += 1) {
    writeFileSync(path, `${row(1)}\n${row(2).slice(0, cut)}${row(3)}\n${row(4)}\n`);
    expect(await idsIn(new TranscriptFile(path, () => new Ids()))).toEqual([1, 3, 4]);
  }
});

test("a line without a complete row is ignored", async () => {
  writeFileSync(path, `${row(1)}\n${row(2).slice(0, -1)}\nrubbish {"\n${row(3)}\n`);
  expect(await idsIn(new TranscriptFile(path, () => new Ids()))).toEqual([1, 3]);
});

test("a file that became shorter is read from the beginning", async () => {
  const file = new TranscriptFile(path, () => new Ids());
  writeFileSync(path, `${row(1)}\n${row(2)}\n`);
  expect(await idsIn(file)).toEqual([1, 2]);
  writeFileSync(path, `${row(3)}\n`);
  expect(await idsIn(file)).toEqual([3]);
});
