import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProgram } from "./program.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-find-"));
  writeFileSync(join(directory, "agent"), "", { mode: 0o755 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a program that is found by a relative way is named by its full path: it is started elsewhere", () => {
  const way = relative(process.cwd(), directory);
  expect(findProgram("agent", { PATH: `/none:${way}` })).toBe(join(directory, "agent"));
  expect(findProgram(join(way, "agent"), {})).toBe(join(directory, "agent"));
});

test("what cannot be run is no program", () => {
  writeFileSync(join(directory, "notes"), "", { mode: 0o644 });
  expect(findProgram("notes", { PATH: directory })).toBeNull();
  expect(findProgram(directory, {})).toBeNull();
});
