import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { daemonHolder, lockDaemon } from "./daemon-lock.ts";

let directory: string;
let home: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-lock-"));
  home = join(directory, "state/waybill");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the daemon's lock", () => {
  test("creates the home, accessible only to its owner", () => {
    lockDaemon(home, 0).release();
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "daemon.lock")).mode & 0o777).toBe(0o600);
  });

  test("refuses a second daemon, and names the first one's process and what to do", () => {
    const lock = lockDaemon(home, 0);
    expect(() => lockDaemon(home, 0)).toThrow(
      expect.objectContaining({
        code: "daemon_running",
        message: expect.stringContaining(`process ${process.pid}`),
        hint: expect.stringContaining("waybill restart"),
      }),
    );
    lock.release();
    lockDaemon(home, 0).release();
  });

  test("can be queried for its holder without taking it", () => {
    expect(daemonHolder(home)).toBeNull();
    const lock = lockDaemon(home, 0);
    expect(daemonHolder(home)).toEqual({ pid: process.pid });
    lock.release();
    expect(daemonHolder(home)).toBeNull();
  });

  test("reports an unusable home, and what to do", () => {
    mkdirSync(join(directory, "state"));
    writeFileSync(home, "a file");
    expect(() => lockDaemon(home, 0)).toThrow(
      expect.objectContaining({ code: "home_unusable", message: expect.stringContaining(home) }),
    );
    rmSync(home);
    mkdirSync(home);
    writeFileSync(join(home, "daemon.lock"), "no database, and long enough to be taken for one. ".repeat(30));
    expect(() => daemonHolder(home)).toThrow(
      expect.objectContaining({ code: "home_unusable", hint: expect.stringContaining("delete the lock file") }),
    );
  });
});
