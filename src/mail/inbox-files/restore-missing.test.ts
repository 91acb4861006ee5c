import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aRow, InboxDirectory } from "../../../test/support/inbox-directory.ts";
import { InboxFile } from "./inbox-file.ts";
import { restoreMissing } from "./restore-missing.ts";

let files: InboxDirectory;
let inbox: InboxFile;
beforeEach(async () => {
  files = new InboxDirectory();
  files.write([aRow("first")]);
  inbox = new InboxFile(files.path);
  await inbox.append(aRow("a"));
  await inbox.append(aRow("b"));
});
afterEach(() => files.dispose());

const written = [
  { row: aRow("a"), before: ["first"] },
  { row: aRow("b"), before: ["a"] },
];
const nothing = { outcome: "restored", restored: [], gone: [] };

test("rows that are there are left alone", async () => {
  const before = files.text();
  expect(await restoreMissing(inbox, written)).toEqual(nothing);
  expect(files.text()).toBe(before);
});

test("rows that an older array took away are written again, in their order, behind what came since", async () => {
  files.write([aRow("first"), aRow("foreign")]);
  expect(await restoreMissing(inbox, written)).toEqual({ outcome: "restored", restored: ["a", "b"], gone: [] });
  expect(files.rows()).toEqual([aRow("first"), aRow("foreign"), aRow("a"), aRow("b")]);
  expect(await restoreMissing(inbox, written)).toEqual(nothing);
});

test("rows that are gone with all before them are reported, and not written again", async () => {
  files.write([aRow("foreign")]);
  expect(await restoreMissing(inbox, written)).toEqual({ outcome: "restored", restored: [], gone: ["a", "b"] });
  expect(files.rows()).toEqual([aRow("foreign")]);
});

test("all are gone with the file, which is not made again", async () => {
  rmSync(files.path);
  expect(await restoreMissing(inbox, written)).toEqual({ outcome: "restored", restored: [], gone: ["a", "b"] });
  expect(files.names()).toEqual([]);
});

test("rows that are taken at the last moment are gone, and stay gone", async () => {
  files.write([aRow("first")]);
  const failPoint = (point: string) => {
    if (point === "inbox.locked") files.write([]);
  };
  const late = new InboxFile(files.path, { failPoint });
  expect(await restoreMissing(late, written)).toEqual({ outcome: "restored", restored: [], gone: ["a", "b"] });
  expect(files.rows()).toEqual([]);
});

test("a file that cannot be read tells nothing of its rows", async () => {
  files.write("[{");
  expect(await restoreMissing(inbox, written)).toMatchObject({ outcome: "failed", problem: "corrupt" });
});
