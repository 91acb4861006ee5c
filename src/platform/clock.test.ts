import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Clock } from "./clock.ts";
import { abortedAfter, clockOn } from "./clock.ts";

const hour = 3_600_000;

describe("a clock that is set", () => {
  let wall = 1_000_000_000;
  let passed = 0;
  let clock: Clock;
  const pass = (ms: number) => {
    wall += ms;
    passed += ms;
  };
  beforeEach(() => {
    clock = clockOn(
      () => Math.floor(wall),
      () => passed,
    );
  });

  test("back continues from where it was, a little slower, until the machine's clock has caught up", () => {
    const before = clock.now();
    wall -= hour;
    expect(clock.now()).toBe(before);
    pass(1000);
    expect(clock.now()).toBe(before + 900);
    pass(9 * hour);
    expect(clock.now()).toBeGreaterThan(wall);
    pass(hour);
    expect(clock.now()).toBe(wall);
    pass(1000);
    expect(clock.now()).toBe(wall);
  });

  test("back between two calls has not stood still", () => {
    const before = clock.now();
    pass(hour);
    wall -= 2 * hour;
    expect(clock.now()).toBe(before + 0.9 * hour);
  });

  test("back keeps running, however often it is read", () => {
    const before = clock.now();
    wall -= hour;
    for (let asked = 0; asked < 1000; asked++) {
      pass(0.25);
      clock.now();
    }
    expect(clock.now() - before).toBeGreaterThanOrEqual(224);
  });

  test("forward follows the machine's clock", () => {
    const before = clock.now();
    wall += hour;
    expect(clock.now()).toBe(before + hour);
  });

  test("by small corrections follows the machine's clock", () => {
    for (const correction of [0, 0.05, -0.05]) {
      wall += correction;
      pass(10);
      expect(clock.now()).toBe(Math.floor(wall));
    }
  });
});

describe("a timer", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  test("fires on time although the clock was set back by an hour in between", async () => {
    const clock = clockOn(Date.now);
    const due = clock.now() + 60_000;
    let at = 0;
    clock.at(due, () => {
      at = clock.now();
    });
    await vi.advanceTimersByTimeAsync(30_000);
    vi.setSystemTime(Date.now() - hour);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(at).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(at).toBeGreaterThanOrEqual(due);
  });

  test("fires when it is due, even far ahead, and not when it was cancelled", async () => {
    const clock = clockOn(Date.now);
    const ran: string[] = [];
    clock.at(clock.now() + 40 * 24 * hour, () => ran.push("far"));
    clock.at(clock.now() + 5, () => ran.push("near"));
    clock.at(clock.now() - 5, () => ran.push("past"));
    clock.at(clock.now() + 1, () => ran.push("cancelled"))();
    await vi.advanceTimersByTimeAsync(39 * 24 * hour);
    expect(ran).toEqual(["past", "near"]);
    await vi.advanceTimersByTimeAsync(24 * hour);
    expect(ran).toEqual(["past", "near", "far"]);
  });
});

test("a time limit still ends a wait after garbage collections, and so does the signal", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const stop = new AbortController();
  const ends = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const [timeOver, stopped] = [
    ends(abortedAfter(100, new AbortController().signal)),
    ends(abortedAfter(600_000, stop.signal)),
  ];
  for (let times = 0; times < 5; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    collect();
  }
  await timeOver;
  stop.abort();
  await stopped;
});
