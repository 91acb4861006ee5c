import { describe, expect, test } from "vitest";
import type { WorkerEnd } from "./restart-policy.ts";
import { actionAfterWorker, defaultRestartPolicy as policy } from "./restart-policy.ts";

const ended = (change: Partial<WorkerEnd>): WorkerEnd => ({ code: null, signal: null, readyForMs: 5000, ...change });

describe("after a worker has ended", () => {
  test("as it was asked to, the supervisor ends well", () => {
    expect(actionAfterWorker(ended({ code: 0 }), 3, policy)).toEqual({ action: "exit", exitCode: 0 });
  });

  test("refusing to start, the supervisor ends with an error and does not insist", () => {
    expect(actionAfterWorker(ended({ code: 78, readyForMs: null }), 0, policy)).toEqual({
      action: "exit",
      exitCode: 1,
    });
  });

  test("for a planned restart, a fresh one is started at once, and crashes before it are forgotten", () => {
    expect(actionAfterWorker(ended({ code: 75 }), 4, policy)).toEqual({ action: "restart", delayMs: 0, crashes: 0 });
  });

  test("with the code of a planned restart that nobody can have asked for, it counts as a crash", () => {
    const end = ended({ code: 75, readyForMs: null });
    expect(actionAfterWorker(end, 0, policy)).toEqual({ action: "restart", delayMs: 1000, crashes: 1 });
  });

  test.each([
    ["an error", { code: 1 }],
    ["a signal", { signal: "SIGSEGV" }],
    ["an unknown code", { code: 13 }],
    ["a start that failed", { readyForMs: null }],
  ])("by %s, the wait doubles with each crash in a row, up to the longest", (_, change) => {
    const delays: number[] = [];
    for (let crashes = 0; crashes < 7; ) {
      const next = actionAfterWorker(ended(change), crashes, policy);
      if (next.action === "exit") throw new Error("it gave up");
      delays.push(next.delayMs);
      crashes = next.crashes;
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test("by a crash after a minute of being ready, the wait is the first one again", () => {
    expect(actionAfterWorker(ended({ code: 1, readyForMs: 60_000 }), 9, policy)).toMatchObject({
      delayMs: 1000,
      crashes: 1,
    });
    expect(actionAfterWorker(ended({ code: 1, readyForMs: 59_999 }), 9, policy)).toMatchObject({ delayMs: 30_000 });
  });

  test("the wait stays finite however often it crashes", () => {
    expect(actionAfterWorker(ended({ code: 1 }), 5000, policy)).toMatchObject({ delayMs: 30_000 });
  });
});
