import { readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InboxDirectory } from "../../../../test/support/teams/inbox-directory.ts";
import { keepCopy } from "./quarantine.ts";

let files: InboxDirectory;
let kept: string;
beforeEach(() => {
  files = new InboxDirectory();
  kept = files.in("quarantine");
});
afterEach(() => files.dispose());

const mode = (path: string) => statSync(path).mode & 0o777;

test("a damaged file is copied to a directory that only its owner may enter, and stays as it is", async () => {
  files.write("[{");
  const copy = await keepCopy(files.path, kept, "builder");
  expect(dirname(copy)).toBe(kept);
  expect(readFileSync(copy, "utf8")).toBe("[{");
  expect([mode(kept), mode(copy)]).toEqual([0o700, 0o600]);
  expect(files.text()).toBe("[{");
});

test("the same content is kept once, and different content separately", async () => {
  files.write("[{");
  const copies = await Promise.all([
    keepCopy(files.path, kept, "builder"),
    keepCopy(Buffer.from("[{"), kept, "builder"),
    keepCopy(Buffer.from("[["), kept, "builder"),
  ]);
  expect(new Set(copies).size).toBe(2);
  expect(await readdir(kept)).toHaveLength(2);
});

test("the ten newest copies of each inbox are kept", async () => {
  const other = await keepCopy(Buffer.from("other"), kept, "builder.2");
  const copies: string[] = [];
  for (let count = 0; count < 12; count++) {
    const copy = await keepCopy(Buffer.from(String(count)), kept, "builder");
    utimesSync(copy, count + 1, count + 1);
    copies.push(copy);
  }
  const expected = [other, ...copies.slice(-10)].map((path) => basename(path)).toSorted();
  expect((await readdir(kept)).toSorted()).toEqual(expected);
});

test("a name cannot escape the directory", async () => {
  const copy = await keepCopy(Buffer.from("[{"), kept, "../../team/builder");
  expect(dirname(copy)).toBe(kept);
});

test("a link is not followed", async () => {
  files.write("[{");
  symlinkSync(files.path, files.in("link.json"));
  await expect(keepCopy(files.in("link.json"), kept, "builder")).rejects.toThrow("ELOOP");
});

test("a failed copy leaves nothing behind", async () => {
  files.write("[{");
  await expect(keepCopy(files.path, join(files.path, "inside"), "builder")).rejects.toThrow("ENOTDIR");
  expect(files.names()).toEqual(["builder.json"]);
});
