import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Journal, readJournal } from "./journal.ts";

const entry = (session: string) => ({ type: "abort" as const, at: 1, session });

test("a line that is cut off is skipped by readers, and removed only by the next start", () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-journal-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "stub.jsonl");
  const first = new Journal(path);
  first.append(entry("café"));
  first.close();
  appendFileSync(path, '{"type":"abo');
  const written = readFileSync(path, "utf8");
  expect(readJournal(path)).toEqual([entry("café")]);
  // Another process may be writing that line right now.
  expect(readFileSync(path, "utf8")).toBe(written);
  const second = new Journal(path);
  second.append(entry("b"));
  second.close();
  expect(readJournal(path)).toEqual([entry("café"), entry("b")]);
});
