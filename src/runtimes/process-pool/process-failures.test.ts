import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { ProcessFailures } from "./process-failures.ts";

let clock: ManualClock;
let failures: ProcessFailures;
const lane = { reason: "exit code 1", everywhere: false };
const program = { reason: "not runnable", everywhere: true };

beforeEach(() => {
  clock = new ManualClock();
  failures = new ProcessFailures({ clock, firstWaitMs: 1000, longestWaitMs: 3000 });
});

/** As often as it takes to be more than an accident. */
function failsAgain(...lanes: string[]): void {
  for (const id of [...lanes, ...lanes]) failures.startFailed(id, lane);
}

describe("a lane whose program failed", () => {
  test("waits twice as long after each time, up to the longest wait, and other lanes do not wait", async () => {
    for (const wait of [1000, 2000, 3000, 3000]) {
      failures.startFailed("bad", lane);
      await clock.advance(wait - 1);
      expect(failures.backoffReason("bad")).toBe("exit code 1");
      expect(failures.backoffReason("good")).toBeNull();
      await clock.advance(1);
      expect(failures.backoffReason("bad")).toBeNull();
    }
  });

  test("has trouble from the second time on, until a turn ends in it", () => {
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

  test("has it no longer when nobody has tried for a while", async () => {
    failsAgain("bad");
    await clock.advance(2000 + 5 * 3000 - 1);
    expect(failures.inAll(["bad"])).toBe("exit code 1");
    await clock.advance(1);
    expect([failures.repeated("bad"), failures.inAll(["bad"])]).toEqual([null, null]);
  });
});

describe("a program", () => {
  test("fails when it starts in none of its lanes, and not when it does in one", () => {
    failsAgain("one", "two");
    expect(failures.inAll(["one", "two"])).toBe("exit code 1");
    failures.started("two");
    expect(failures.inAll(["one", "two"])).toBeNull();
    failures.startFailed("two", lane);
    expect(failures.inAll(["one", "two"])).toBe("exit code 1");
  });

  test("may be well in a lane in which nobody has tried it, and is where there is no lane", () => {
    failsAgain("one");
    expect(failures.inAll(["one", "untried"])).toBeNull();
    expect(failures.inAll([])).toBeNull();
  });

  test("is no worse for a lane that is not there any more", () => {
    failsAgain("gone");
    expect(failures.inAll(["one"])).toBeNull();
  });

  test("that starts and dies in mid-turn can be started", () => {
    failures.started("one");
    failures.died("one", "killed");
    failures.died("one", "killed");
    expect(failures.inAll(["one"])).toBeNull();
  });

  test("that would run nowhere fails at once in all lanes, until it starts in one", () => {
    failures.startFailed("one", program);
    expect(failures.inAll(["one", "untried"])).toBe("not runnable");
    failures.started("untried");
    expect(failures.inAll(["one", "untried"])).toBeNull();
  });
});
