import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { anyOf, withinTime } from "./retry.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const pending = () => new Promise<never>(() => {});

async function collectRepeatedly(): Promise<void> {
  for (let times = 0; times < 5; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    collect();
  }
}

test("a signal still ends the wait after a garbage collection", async () => {
  const stop = new AbortController();
  const wait = withinTime(600_000, anyOf(undefined, stop.signal, new AbortController().signal), pending);
  const ended = expect(wait).rejects.toBe("enough");
  await collectRepeatedly();
  stop.abort("enough");
  await ended;
});

test("the time limit still ends the wait after a garbage collection", async () => {
  // Expected before memory is collected, which may take longer than the limit on a busy machine.
  const ended = expect(withinTime(100, anyOf(), pending)).rejects.toMatchObject({ name: "TimeoutError" });
  await collectRepeatedly();
  await ended;
});

test("an already aborted signal ends the wait immediately", async () => {
  await expect(withinTime(600_000, AbortSignal.abort("enough"), pending)).rejects.toBe("enough");
});

test("many waits on one signal add no listeners to it, and all end with it", async () => {
  const stop = new AbortController();
  const waits = Array.from({ length: 30 }, () => withinTime(600_000, anyOf(stop.signal), pending));
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  stop.abort("enough");
  const reasons = (await Promise.allSettled(waits)).map((one) => one.status === "rejected" && one.reason);
  expect(reasons).toEqual(Array(30).fill("enough"));
});

test("the called function's own signal is aborted when time runs out", async () => {
  let given: AbortSignal | undefined;
  const wait = withinTime(1, anyOf(), (signal) => {
    given = signal;
    return pending();
  });
  await expect(wait).rejects.toMatchObject({ name: "TimeoutError" });
  expect(given?.aborted).toBe(true);
});
