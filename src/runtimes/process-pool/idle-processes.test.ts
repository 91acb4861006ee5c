import { expect, test } from "vitest";
import type { MayRest } from "./idle-processes.ts";
import { letGo } from "./idle-processes.ts";

const program = (restingSince: number, other: Partial<MayRest> = {}): MayRest => ({
  isReady: true,
  isEnding: false,
  conversation: { isWorking: false },
  restingSince,
  ...other,
});
const [a, b, c] = [program(10), program(20), program(30)];

test("those that rested for too long go, and the next look is when the oldest of the others has", () => {
  expect(letGo([c, a, b], { now: 110, idleMs: 100, most: 5 })).toEqual({ go: [a], next: 120 });
});

test("of too many the longest resting ones go", () => {
  expect(letGo([a, b, c], { now: 40, idleMs: 100, most: 1 })).toEqual({ go: [b, a], next: 130 });
});

test.each([
  ["begins", { isReady: false }],
  ["works", { conversation: { isWorking: true } }],
  ["ends already", { isEnding: true }],
])("one that %s does not rest: it stays, and takes no other one's place", (_, other) => {
  expect(letGo([program(1, other), c], { now: 110, idleMs: 100, most: 1 })).toEqual({ go: [], next: 130 });
});

test("with none at rest there is nothing to look for", () => {
  expect(letGo([], { now: 40, idleMs: 100, most: 1 })).toEqual({ go: [], next: null });
  expect(letGo([a], { now: 400, idleMs: 100, most: 1 })).toEqual({ go: [a], next: null });
});
