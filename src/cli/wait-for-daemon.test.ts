import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitWhileStarting } from "./connect.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-starting-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const hour = 3_600_000;
const never = new AbortController().signal;

describe("waiting for a starting daemon", () => {
  it("ends as soon as the daemon reports that it listens", async () => {
    let [starts, isOver] = [true, false];
    const waiting = waitWhileStarting({ directory, isStarting: () => starts, timeoutMs: hour, signal: never }).then(
      () => {
        isOver = true;
      },
    );
    starts = false;
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    // Written atomically, as the daemon does it.
    writeFileSync(join(directory, "daemon.json.new"), "{}");
    renameSync(join(directory, "daemon.json.new"), join(directory, "daemon.json"));
    await waiting;
  });

  it("continues while other files are written", async () => {
    let [starts, checks] = [true, 0];
    const isStarting = () => {
      checks += 1;
      return starts;
    };
    let isOver = false;
    const waiting = waitWhileStarting({ directory, isStarting, timeoutMs: hour, signal: never }).then(() => {
      isOver = true;
    });
    writeFileSync(join(directory, "log"), "line");
    await expect.poll(() => checks).toBeGreaterThan(1);
    expect(isOver).toBe(false);
    starts = false;
    writeFileSync(join(directory, "log"), "line");
    await waiting;
  });

  it("ends immediately if the daemon already listens", async () => {
    let checks = 0;
    const isStarting = () => {
      checks += 1;
      return false;
    };
    await waitWhileStarting({ directory, isStarting, timeoutMs: hour, signal: never });
    expect(checks).toBe(1);
  });

  it("ends on Ctrl-C, even before it began, and at the timeout", async () => {
    const interrupted = new AbortController();
    const ended: string[] = [];
    const wait = (why: string, timeoutMs: number, signal: AbortSignal) =>
      waitWhileStarting({ directory, isStarting: () => true, timeoutMs, signal }).then(() => ended.push(why));
    const waiting = wait("interrupted", hour, interrupted.signal);
    await wait("time is up", 1, never);
    interrupted.abort();
    await waiting;
    await wait("interrupted before", hour, interrupted.signal);
    expect(ended).toEqual(["time is up", "interrupted", "interrupted before"]);
  });
});
