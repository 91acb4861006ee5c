import { test } from "vitest";
import { killAgainAndAgain } from "../support/agents/agent-kills.ts";
import { expectEachAnsweredOnce } from "../support/agents/expect-agent-kills.ts";
import { killedOpencode } from "../support/opencode/opencode-kills.ts";

test("OpenCode, the daemon and both, killed mid-turn: every message ends, and answered ones are not repeated", async () => {
  expectEachAnsweredOnce(await killAgainAndAgain(killedOpencode, killedOpencode.kills.length));
});
