/** What must hold after a daemon was killed repeatedly. */
import { expect } from "vitest";
import type { KilledRun } from "../daemon/daemon-kills.ts";

export function expectNothingLostOrDoubled({ kills, taken, outcomes, prompts, answers }: KilledRun): void {
  const once = Object.fromEntries(taken.map((id) => [id, 1]));
  expect(taken.length).toBeGreaterThan(kills);
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(taken.map((id) => [id, "responded"])));
  expect(Object.fromEntries(prompts)).toEqual(once);
  expect(Object.fromEntries(answers)).toEqual(once);
}
