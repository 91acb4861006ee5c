import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directoryProblem } from "./lane-directories.ts";

test("an existing directory is no problem, but a missing one or a file is named", async () => {
  const place = mkdtempSync(join(tmpdir(), "waybill-lane-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const file = join(place, "file");
  writeFileSync(file, "");
  expect(await directoryProblem(place)).toBeNull();
  expect(await directoryProblem(join(place, "gone"))).toBe(`directory_missing: ${place}/gone does not exist`);
  expect(await directoryProblem(file)).toBe(`directory_missing: ${file} is not a directory`);
  expect(await directoryProblem(join(file, "below"))).toBe(`directory_missing: ${file}/below does not exist`);
});
