import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProgram, programVersion } from "./program.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-find-"));
  writeFileSync(join(directory, "agent"), "", { mode: 0o755 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a program found by a relative path gets its full path, because it is started elsewhere", () => {
  const way = relative(process.cwd(), directory);
  expect(findProgram("agent", { PATH: `/none:${way}` })).toBe(join(directory, "agent"));
  expect(findProgram(join(way, "agent"), {})).toBe(join(directory, "agent"));
});

test("a file that cannot be executed is not a program", () => {
  writeFileSync(join(directory, "notes"), "", { mode: 0o644 });
  expect(findProgram("notes", { PATH: directory })).toBeNull();
  expect(findProgram(directory, {})).toBeNull();
});

test.each([
  ["on standard output", "echo 1.2.3; echo careful >&2", { ok: true, text: "1.2.3" }],
  ["on standard error, as pi does", "echo 0.73.1 >&2", { ok: true, text: "0.73.1" }],
  ["nowhere", "true", { ok: false, why: "it printed nothing" }],
])("a program's version is found %s", async (_, script, version) => {
  writeFileSync(join(directory, "agent"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const limits = { deadlineMs: 20_000, signal: new AbortController().signal };
  expect(await programVersion(join(directory, "agent"), process.env, limits)).toEqual(version);
});
