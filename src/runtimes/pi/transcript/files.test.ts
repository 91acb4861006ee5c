import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sessionFile, sessionFolders, sessionOfFile } from "./files.ts";

let home = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-pi-places-")));
});
afterEach(() => rmSync(home, { recursive: true }));

const sessions = () => join(home, ".pi", "agent", "sessions");

test("a new session's file is in pi's folder for the directory", () => {
  const path = sessionFile(sessionFolders({ HOME: home }), "/srv/my project", "id");
  expect(path).toBe(join(sessions(), "--srv-my project--", "waybill_id.jsonl"));
});

test("a session that a person started is found by the end of its file name, even if its directory has moved", () => {
  const path = join(sessions(), "--srv-old--", "2026-01-01T00-00-00-000Z_abc.jsonl");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "");
  expect(sessionFile(sessionFolders({ HOME: home }), "/srv/new", "abc")).toBe(path);
  expect(sessionFile(sessionFolders({ HOME: home }), "/srv/new", "bc")).not.toBe(path);
});

test("the folders in pi's own variables are used", () => {
  const agent = sessionFolders({ HOME: home, PI_CODING_AGENT_DIR: "~/agent" });
  expect(agent.folderOf("/work")).toBe(join(home, "agent", "sessions", "--work--"));
  const flat = sessionFolders({ HOME: home, PI_CODING_AGENT_SESSION_DIR: "~/all" });
  expect(sessionFile(flat, "/work", "id")).toBe(join(home, "all", "waybill_id.jsonl"));
});

test("a file name ends with its session, no matter who started it", () => {
  expect(sessionOfFile("waybill_abc.jsonl")).toBe("abc");
  expect(sessionOfFile("2026-01-01T00-00-00-000Z_abc.jsonl")).toBe("abc");
  for (const name of ["abc.jsonl", "waybill_abc.txt", "_abc.jsonl"]) expect(sessionOfFile(name)).toBeNull();
});
