import { expect, test } from "vitest";
import { abortEarly, anyMoments, expectEachAborted } from "../support/agents/early-aborts.ts";

test.each(["stub", "opencode", "claude", "pi"] as const)(
  "%s: a hundred prompts aborted at random moments are shown once, aborted once, and never keep running",
  async (kind) => {
    const sessions = await abortEarly(
      kind,
      Array.from({ length: 5 }, () => anyMoments(20)),
    );
    const waits = sessions.flatMap(({ idleAfterMs }) => idleAfterMs).sort((one, other) => one - other);
    expect(waits).toHaveLength(100);
    console.log(`${kind}: idle after ${waits[50]} ms (median), ${waits[94]} ms (95 of 100), ${waits[99]} ms (longest)`);
    expectEachAborted(sessions);
  },
);
