import { test } from "vitest";
import { killAgainAndAgain } from "../support/agent-kills.ts";
import { expectEachAnsweredOnce } from "../support/expect-agent-kills.ts";
import { killedOpencode } from "../support/opencode-kills.ts";

test("a hundred kills of OpenCode, the daemon and both mid-turn: every message ends, and answered ones are not repeated", async () => {
  expectEachAnsweredOnce(await killAgainAndAgain(killedOpencode, 100));
});
