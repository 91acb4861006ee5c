/** What must hold after an agent's program and the daemon were killed mid-turn, however often. */
import { expect } from "vitest";
import type { AgentKills, Fate } from "./agent-kills.ts";

/** For runs in which one kill per message must not make it fail. */
export function expectEachResponded({ fates }: AgentKills): void {
  expect(fates.filter(({ status }) => status !== "responded")).toEqual([]);
}

export function expectEachAnsweredOnce({ fates, exitCode, leftOver, recordsLeft }: AgentKills): void {
  for (const fate of fates) expectAnsweredOnce(fate);
  expect(exitCode).toBe(0);
  expect(leftOver).toEqual([]);
  expect(recordsLeft).toBe(0);
}

function expectAnsweredOnce(fate: Fate): void {
  const { died, status, answers, calls } = fate;
  const story = JSON.stringify(fate);
  expect(died ? ["responded", "failed_terminal"] : ["responded"], story).toContain(status);
  // The answer, or the notice that there will be none.
  expect(answers, story).toBe(1);
  // A program that survived finishes its turn, and is not asked twice.
  const runs = calls.filter(({ step }) => step === 0);
  expect(runs.length, story).toBeLessThanOrEqual(died ? 2 : 1);
  const answered = calls.filter(({ aborted, last }) => last && !aborted);
  if (status === "responded") expect(answered, story).toEqual(calls.slice(-1));
  if (died) expect(answered.length, story).toBeLessThanOrEqual(1);
}
