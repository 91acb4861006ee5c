import { describe, expect, test } from "vitest";
import type { WorkerEnd } from "./restart-policy.ts";
import { actionAfterWorker, defaultRestartPolicy as policy } from "./restart-policy.ts";

const ended = (change: Partial<WorkerEnd>): WorkerEnd => ({ code: null, signal: null, readyForMs: 5000, ...change });

describe("when a worker has exited", () => {
  test("as requested, the supervisor exits with success", () => {
    expect(actionAfterWorker(ended({ code: 0 }), 3, policy)).toEqual({ action: "exit", exitCode: 0 });
  });

  test("because it refused to start, the supervisor exits with an error and does not retry", () => {
    expect(actionAfterWorker(ended({ code: 78, readyForMs: null }), 0, policy)).toEqual({
      action: "exit",
      exitCode: 1,
    });
  });

  test("for a planned restart, a new one starts immediately and the crash count is reset", () => {
    expect(actionAfterWorker(ended({ code: 75 }), 4, policy)).toEqual({ action: "restart", delayMs: 0, crashes: 0 });
  });

  test("with the code of a planned restart before it was ever ready, it counts as a crash", () => {
    const end = ended({ code: 75, readyForMs: null });
    expect(actionAfterWorker(end, 0, policy)).toEqual({ action: "restart", delayMs: 1000, crashes: 1 });
  });

  test.each([
    ["an error", { code: 1 }],
    ["a signal", { signal: "SIGSEGV" }],
    ["an unknown code", { code: 13 }],
    ["a start that failed", { readyForMs: null }],
  ])("by %s, the delay doubles with each crash in a row, up to the maximum", (_, change) => {
    const delays: number[] = [];
    for (let crashes = 0; crashes < 7; ) {
      const next = actionAfterWorker(ended(change), crashes, policy);
      if (next.action === "exit") throw new Error("it gave up");
      delays.push(next.delayMs);
      crashes = next.crashes;
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test("by a crash after a minute of being ready, the delay starts over", () => {
    expect(actionAfterWorker(ended({ code: 1, readyForMs: 60_000 }), 9, policy)).toMatchObject({
      delayMs: 1000,
      crashes: 1,
    });
    expect(actionAfterWorker(ended({ code: 1, readyForMs: 59_999 }), 9, policy)).toMatchObject({ delayMs: 30_000 });
  });

  test("the delay stays finite however often it crashes", () => {
    expect(actionAfterWorker(ended({ code: 1 }), 5000, policy)).toMatchObject({ delayMs: 30_000 });
  });
});
