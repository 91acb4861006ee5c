import { test } from "vitest";
import { expectEachAnsweredOnce } from "../support/expect-opencode-kills.ts";
import { killOpencodeAgainAndAgain } from "../support/opencode-kills.ts";

test("a hundred kills of OpenCode, the daemon and both in mid-turn: every message ends, none answered is asked again", async () => {
  expectEachAnsweredOnce(await killOpencodeAgainAndAgain(100));
});
