import { expect, test } from "vitest";
import { clockOn } from "./clock.ts";

test("a clock that is set back goes on from where it was, at the same speed", () => {
  let wall = 1_000_000;
  const clock = clockOn(() => wall);
  expect(clock.now()).toBe(1_000_000);
  wall -= 86_400_000;
  expect(clock.now()).toBe(1_000_000);
  wall += 500;
  expect(clock.now()).toBe(1_000_500);
});

test("a clock that is set forward is followed", () => {
  let wall = 1_000_000;
  const clock = clockOn(() => wall);
  clock.now();
  wall += 3_600_000;
  expect(clock.now()).toBe(4_600_000);
});

test("what is due runs, and what was taken back does not", async () => {
  const clock = clockOn(Date.now);
  const ran: string[] = [];
  const takeBack = clock.at(clock.now() + 1, () => ran.push("taken back"));
  takeBack();
  await new Promise<void>((resolve) => clock.at(clock.now() + 5, resolve));
  expect(ran).toEqual([]);
});
