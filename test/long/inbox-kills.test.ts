import { expect, test } from "vitest";
import { expectWholeAfter, inboxPoints, undisturbedRun } from "../support/teams/inbox-kills.ts";

/** A busy machine reaches a point fewer times, because more rows share a rewrite or commit. */
const share = 0.75;

test("killed each time it reaches a fail point, a Waybill that follows inbox files loses and damages no row", async () => {
  const { result } = await undisturbedRun();
  let kills = 0;
  for (const point of inboxPoints) {
    const times = Math.max(1, Math.floor((result.reached[point] ?? 0) * share));
    for (let time = 1; time <= times; time += 1) {
      await expectWholeAfter(`${point}@${time}`, result);
      kills += 1;
    }
  }
  expect(kills).toBeGreaterThan(100);
});
