import { expect, test } from "vitest";
import type { IdleCandidate } from "./agent-process-pool.ts";
import { selectIdleProcesses } from "./agent-process-pool.ts";

const program = (idleSince: number, other: Partial<IdleCandidate> = {}): IdleCandidate => ({
  isReady: true,
  isEnding: false,
  client: { isWorking: false },
  idleSince,
  ...other,
});
const [a, b, c] = [program(10), program(20), program(30)];

test("processes that were idle for too long expire, and the next check is when the next one would expire", () => {
  expect(selectIdleProcesses([c, a, b], { now: 110, idleMs: 100, maxResting: 5 })).toEqual({
    expired: [a],
    nextAt: 120,
  });
});

test("if too many are idle, the longest idle ones expire", () => {
  expect(selectIdleProcesses([a, b, c], { now: 40, idleMs: 100, maxResting: 1 })).toEqual({
    expired: [b, a],
    nextAt: 130,
  });
});

test.each([
  ["is starting", { isReady: false }],
  ["is working", { client: { isWorking: true } }],
  ["is already ending", { isEnding: true }],
])("a process that %s is not idle: it stays, and does not count", (_, other) => {
  expect(selectIdleProcesses([program(1, other), c], { now: 110, idleMs: 100, maxResting: 1 })).toEqual({
    expired: [],
    nextAt: 130,
  });
});

test("without idle processes there is no next check", () => {
  expect(selectIdleProcesses([], { now: 40, idleMs: 100, maxResting: 1 })).toEqual({ expired: [], nextAt: null });
  expect(selectIdleProcesses([a], { now: 400, idleMs: 100, maxResting: 1 })).toEqual({ expired: [a], nextAt: null });
});
