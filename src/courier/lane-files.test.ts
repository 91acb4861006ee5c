import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingFiles } from "./lane-files.ts";

const base = mkdtempSync(join(tmpdir(), "waybill-claims-"));
const root = join(base, "lane");
beforeAll(() => {
  mkdirSync(join(root, "src"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(root, "src", "app.ts"), "");
  writeFileSync(join(root, "there.txt"), "");
  symlinkSync(join(base, "outside"), join(root, "out"));
  symlinkSync(join(base, "nowhere"), join(root, "dangling.txt"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("of the files that an answer names", () => {
  test.each([
    ["an existing file", "there.txt"],
    ["an existing file, by its full path", join(root, "there.txt")],
    ["a file in a subdirectory", "app.ts"],
    ["a file outside the directory", join(base, "no.txt")],
    ["a file behind a link that leads out of it", "out/no.txt"],
    ["a dangling link", "dangling.txt"],
  ])("%s is not missing", async (_, name) => expect(await missingFiles(root, [name])).toEqual([]));

  test("those that do not exist are missing", async () => {
    const names = ["no.txt", "there.txt", "src/no.ts", "there.txt/no.md", join(root, "no.csv")];
    expect(await missingFiles(root, names)).toEqual(["no.txt", "src/no.ts", "there.txt/no.md", join(root, "no.csv")]);
  });

  test("none is missing if the directory itself does not exist", async () => {
    expect(await missingFiles(join(base, "gone"), ["no.txt"])).toEqual([]);
  });

  test("none is reported missing if there are too many files to search", async () => {
    const large = join(base, "large");
    mkdirSync(large);
    for (let index = 0; index < 5001; index++) writeFileSync(join(large, `f${index}`), "");
    expect(await missingFiles(large, ["no.txt"])).toEqual([]);
  });
});
