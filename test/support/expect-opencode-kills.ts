/** What must hold after OpenCode and the daemon were killed in mid-turn, however often. */
import { expect } from "vitest";
import type { OpencodeKills } from "./opencode-kills.ts";

export function expectEachAnsweredOnce({ fates, exitCode, leftOver }: OpencodeKills): void {
  for (const fate of fates) {
    const story = JSON.stringify(fate);
    const died = fate.victim === "opencode" || fate.victim === "both";
    expect(died ? ["responded", "failed_terminal"] : ["responded"], story).toContain(fate.status);
    // The answer, or the news that there will be none.
    expect(fate.answers, story).toBe(1);
    // A server that lived through it has the turn to its end; nobody asks it twice.
    expect(fate.calls.length, story).toBeLessThanOrEqual(died ? 2 : 1);
    if (died) expect(fate.calls[0]?.aborted, story).toBe(true);
    const answered = fate.calls.findIndex((call) => !call.aborted);
    if (fate.status === "responded") expect(answered, story).toBe(fate.calls.length - 1);
  }
  expect(exitCode).toBe(0);
  expect(leftOver).toEqual([]);
}
