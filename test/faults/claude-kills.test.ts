import { test } from "vitest";
import { killAgainAndAgain } from "../support/agents/agent-kills.ts";
import { expectEachAnsweredOnce, expectEachResponded } from "../support/agents/expect-agent-kills.ts";
import { killedClaude } from "../support/claude/claude-kills.ts";

test("Claude Code, the daemon and both, killed mid-turn: every message is answered once", async () => {
  const run = await killAgainAndAgain(killedClaude, 6);
  expectEachAnsweredOnce(run);
  expectEachResponded(run);
});
