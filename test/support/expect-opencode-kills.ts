/** What must hold after OpenCode and the daemon were killed in mid-turn, however often. */
import { expect } from "vitest";
import type { OpencodeKills } from "./opencode-kills.ts";

export function expectEachAnsweredOnce({ victims, outcomes, calls, leftOver }: OpencodeKills): void {
  for (const [id, outcome] of Object.entries(outcomes)) {
    const story = JSON.stringify({ id, victim: victims.get(id), outcome, calls: calls.get(id) });
    expect(["responded", "failed_terminal"], story).toContain(outcome.status);
    // The answer, or the news that there will be none.
    expect(outcome.answers, story).toBe(1);
    const asked = calls.get(id) ?? [];
    const answered = asked.findIndex((call) => !call.aborted);
    if (outcome.status === "responded") expect(answered, story).toBe(asked.length - 1);
    // A server that lived through it has the turn to its end; nobody asks it twice.
    const died = victims.get(id) === "opencode" || victims.get(id) === "both";
    expect(asked.length, story).toBeLessThanOrEqual(died ? 2 : 1);
  }
  expect(Object.keys(outcomes)).toEqual([...calls.keys()]);
  expect(leftOver).toEqual([]);
}
