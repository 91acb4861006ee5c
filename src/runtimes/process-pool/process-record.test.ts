import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ProcessRecord } from "./process-record.ts";
import { readProcessRecords, removeProcessRecord, writeProcessRecord } from "./process-record.ts";

let directory = "";
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "waybill-records-")), "programs");
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

const record: ProcessRecord = { nonce: "n1", laneId: "lane", sessionId: "s1", pid: null, processStart: null };

test("a record has the values that were written last, and only its owner can read it", () => {
  writeProcessRecord(directory, record);
  writeProcessRecord(directory, { ...record, pid: 12, processStart: "boot:1" });
  expect(readProcessRecords(directory)).toEqual([{ ...record, pid: 12, processStart: "boot:1" }]);
  const [name = ""] = readdirSync(directory);
  expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
});

test("two processes of one lane have separate records, which are removed separately", () => {
  const other = { ...record, nonce: "n2", sessionId: "s2" };
  writeProcessRecord(directory, record);
  writeProcessRecord(directory, other);
  removeProcessRecord(directory, record);
  expect(readProcessRecords(directory)).toEqual([other]);
});

test("other files are ignored, and removing a missing record is not an error", () => {
  writeProcessRecord(directory, record);
  writeFileSync(join(directory, "half.json"), '{"nonce": "n');
  writeFileSync(join(directory, "other.json"), '{"nonce": 1}');
  expect(readProcessRecords(directory)).toEqual([record]);
  removeProcessRecord(directory, record);
  removeProcessRecord(directory, record);
  expect(readProcessRecords(directory)).toEqual([]);
});

test("before the first process there are no records", () => {
  expect(readProcessRecords(directory)).toEqual([]);
});
