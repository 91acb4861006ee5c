import { test } from "vitest";
import { killAgainAndAgain } from "../support/agents/agent-kills.ts";
import { expectEachAnsweredOnce, expectEachResponded } from "../support/agents/expect-agent-kills.ts";
import { killedPi } from "../support/pi/pi-kills.ts";

test("a hundred kills of pi, the daemon and both mid-turn: every message is answered once", async () => {
  const run = await killAgainAndAgain(killedPi, 100);
  expectEachAnsweredOnce(run);
  expectEachResponded(run);
});
