import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listSessionFiles } from "./session-files.ts";

let home = "";
let work = "";
let folder = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-session-files-")));
  work = join(home, "work");
  folder = join(home, "files");
  for (const directory of [work, folder]) mkdirSync(directory);
});
afterEach(() => rmSync(home, { recursive: true }));

const sessionOf = (name: string) => /^(\w+)\.jsonl$/.exec(name)?.[1] ?? null;
const list = (directory: string, since = 0, folders = [folder]) =>
  listSessionFiles({ folders, sessionOf, directory, since });

/** A file with this name that changed this many seconds after the epoch. */
function write(name: string, changedAt: number, ...rows: object[]): void {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  utimesSync(path, changedAt, changedAt);
}

test("sessions are listed by their files, most recently changed first", async () => {
  write("old.jsonl", 1, { cwd: work });
  write("new.jsonl", 3, { cwd: work });
  write("middle.jsonl", 2, { cwd: work });
  write("notes.txt", 4, { cwd: work });
  mkdirSync(join(folder, "directory.jsonl"));
  expect(await list(work)).toEqual(["new", "middle", "old"]);
});

test("files that have not changed since the given time are left out", async () => {
  write("old.jsonl", 1, { cwd: work });
  write("new.jsonl", 3, { cwd: work });
  expect(await list(work, 3000)).toEqual(["new"]);
});

test("the first working directory in a file decides, however many rows come before it", async () => {
  const long = { type: "queue", content: "x".repeat(200_000) };
  write("ours.jsonl", 2, long, { cwd: work }, { cwd: "/elsewhere" });
  write("theirs.jsonl", 1, long, { cwd: "/elsewhere" }, { cwd: work });
  expect(await list(work)).toEqual(["ours"]);
});

test("a file that names no directory yet is listed", async () => {
  write("begun.jsonl", 1, { type: "queue" });
  expect(await list(work)).toEqual(["begun"]);
});

test("a directory is recognised through links, and even when it no longer exists", async () => {
  symlinkSync(work, join(home, "link"));
  write("here.jsonl", 2, { cwd: work });
  write("gone.jsonl", 1, { cwd: join(home, "gone") });
  expect(await list(join(home, "link"))).toEqual(["here"]);
  expect(await list(join(home, "gone"))).toEqual(["gone"]);
});

test("a missing folder has no sessions, and an unreadable one is an error", async () => {
  expect(await list(work, 0, [join(home, "nowhere")])).toEqual([]);
  symlinkSync(join(home, "loop"), join(home, "loop"));
  await expect(list(work, 0, [join(home, "loop")])).rejects.toThrow("ELOOP");
});
