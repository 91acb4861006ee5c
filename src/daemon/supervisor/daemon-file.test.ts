import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DaemonFile } from "./daemon-file.ts";
import { readDaemonFile, removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const starting: DaemonFile = {
  supervisorPid: 41,
  workerPid: 42,
  url: null,
  port: null,
  opencodeApiUrl: null,
  runId: null,
  startedAt: 1000,
  version: "0.1.0",
};
const listening: DaemonFile = { ...starting, url: "http://127.0.0.1:7300", port: 7300, runId: "run" };

describe("the daemon's file", () => {
  test("is read as it was written, and the newest version counts", () => {
    writeDaemonFile(home, starting);
    expect(readDaemonFile(home)).toEqual(starting);
    writeDaemonFile(home, listening);
    expect(readDaemonFile(home)).toEqual(listening);
    expect(readdirSync(home)).toEqual(["daemon.json"]);
  });

  test("is readable only by its owner, even if a temporary file was left behind", () => {
    writeFileSync(join(home, "daemon.json.new"), "cut short", { mode: 0o644 });
    writeDaemonFile(home, starting);
    expect(statSync(join(home, "daemon.json")).mode & 0o777).toBe(0o600);
    expect(readDaemonFile(home)).toEqual(starting);
  });

  test("of an older version, without an address for OpenCode's API, can still be read", () => {
    const { opencodeApiUrl: _, ...older } = listening;
    writeFileSync(join(home, "daemon.json"), JSON.stringify(older));
    expect(readDaemonFile(home)).toEqual(listening);
  });

  test("counts as absent if it is missing, removed or broken", () => {
    expect(readDaemonFile(home)).toBeNull();
    writeDaemonFile(home, starting);
    removeDaemonFile(home);
    removeDaemonFile(home);
    expect(readDaemonFile(home)).toBeNull();
    for (const broken of ["", "{", "null", JSON.stringify({ ...starting, workerPid: -1 }), '{"supervisorPid":41}']) {
      writeFileSync(join(home, "daemon.json"), broken);
      expect(readDaemonFile(home)).toBeNull();
    }
  });
});
