import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingFiles } from "./missing-files.ts";

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
    ["one that is there", "there.txt"],
    ["one that is there, by its whole path", join(root, "there.txt")],
    ["one that is further down", "app.ts"],
    ["one outside of the directory", join(base, "no.txt")],
    ["one behind a link that leads out", "out/no.txt"],
    ["a link that leads nowhere", "dangling.txt"],
  ])("%s is not missing", async (_, name) => expect(await missingFiles(root, [name])).toEqual([]));

  test("those that are nowhere are missing", async () => {
    const names = ["no.txt", "there.txt", "src/no.ts", "there.txt/no.md", join(root, "no.csv")];
    expect(await missingFiles(root, names)).toEqual(["no.txt", "src/no.ts", "there.txt/no.md", join(root, "no.csv")]);
  });

  test("none is missing where the directory itself is not there", async () => {
    expect(await missingFiles(join(base, "gone"), ["no.txt"])).toEqual([]);
  });

  test("none is called missing where there is too much to look through", async () => {
    const large = join(base, "large");
    mkdirSync(large);
    for (let index = 0; index < 5001; index++) writeFileSync(join(large, `f${index}`), "");
    expect(await missingFiles(large, ["no.txt"])).toEqual([]);
  });
});
