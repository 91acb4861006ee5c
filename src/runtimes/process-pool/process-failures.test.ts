import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { ProcessFailures } from "./process-failures.ts";

let clock: ManualClock;
let failures: ProcessFailures;
const lane = { reason: "exit code 1", everywhere: false };
const program = { reason: "not runnable", everywhere: true };

beforeEach(() => {
  clock = new ManualClock();
  failures = new ProcessFailures({ clock, firstWaitMs: 1000, longestWaitMs: 3000 });
});

/** Often enough to be more than a coincidence. */
function failsAgain(...lanes: string[]): void {
  for (const id of [...lanes, ...lanes]) failures.startFailed(id, lane);
}

describe("a lane with a failed program", () => {
  test("waits twice as long after each failure, up to the longest wait, while other lanes do not wait", async () => {
    for (const wait of [1000, 2000, 3000, 3000]) {
      failures.startFailed("bad", lane);
      await clock.advance(wait - 1);
      expect(failures.backoffReason("bad")).toBe("exit code 1");
      expect(failures.backoffReason("good")).toBeNull();
      await clock.advance(1);
      expect(failures.backoffReason("bad")).toBeNull();
    }
  });

  test("has a notice from the second failure on, until a turn ends in it", () => {
    failures.startFailed("bad", lane);
    expect(failures.repeated("bad")).toBeNull();
    failures.started("bad");
    failures.died("bad", "killed");
    expect(failures.repeated("bad")).toBe("killed");
    expect(failures.repeated("good")).toBeNull();
    failures.worked("bad");
    failures.died("bad", "killed");
    expect(failures.repeated("bad")).toBeNull();
  });

  test("has no notice after a while without attempts", async () => {
    failsAgain("bad");
    await clock.advance(2000 + 5 * 3000 - 1);
    expect(failures.inAll(["bad"])).toBe("exit code 1");
    await clock.advance(1);
    expect([failures.repeated("bad"), failures.inAll(["bad"])]).toEqual([null, null]);
  });
});

describe("a program", () => {
  test("is unhealthy if it starts in none of its lanes, but not if it starts in one", () => {
    failsAgain("one", "two");
    expect(failures.inAll(["one", "two"])).toBe("exit code 1");
    failures.started("two");
    expect(failures.inAll(["one", "two"])).toBeNull();
    failures.startFailed("two", lane);
    expect(failures.inAll(["one", "two"])).toBe("exit code 1");
  });

  test("may be healthy in a lane that has not tried it, and is healthy without lanes", () => {
    failsAgain("one");
    expect(failures.inAll(["one", "untried"])).toBeNull();
    expect(failures.inAll([])).toBeNull();
  });

  test("is not affected by a removed lane", () => {
    failsAgain("gone");
    expect(failures.inAll(["one"])).toBeNull();
  });

  test("that starts and dies mid-turn is healthy", () => {
    failures.started("one");
    failures.died("one", "killed");
    failures.died("one", "killed");
    expect(failures.inAll(["one"])).toBeNull();
  });

  test("that could not run anywhere is immediately unhealthy in all lanes, until it starts in one", () => {
    failures.startFailed("one", program);
    expect(failures.inAll(["one", "untried"])).toBe("not runnable");
    failures.started("untried");
    expect(failures.inAll(["one", "untried"])).toBeNull();
  });
});
