import { test } from "vitest";
import { killAgainAndAgain } from "../support/agents/agent-kills.ts";
import { expectEachAnsweredOnce, expectEachResponded } from "../support/agents/expect-agent-kills.ts";
import { killedPi } from "../support/pi/pi-kills.ts";

test("pi, the daemon and both, killed mid-turn: every message is answered once", async () => {
  const run = await killAgainAndAgain(killedPi, 4);
  expectEachAnsweredOnce(run);
  expectEachResponded(run);
});
