import { test } from "vitest";
import { killAgainAndAgain } from "../support/agent-kills.ts";
import { killedClaude } from "../support/claude-kills.ts";
import { expectEachAnsweredOnce, expectEachResponded } from "../support/expect-agent-kills.ts";

test("Claude Code, the daemon and both, killed mid-turn: every message is answered once", async () => {
  const run = await killAgainAndAgain(killedClaude, 6);
  expectEachAnsweredOnce(run);
  expectEachResponded(run);
});
