import { test } from "vitest";
import { expectNothingLostOrDoubled } from "../support/agents/expect-killed-run.ts";
import { killAgainAndAgain } from "../support/daemon/daemon-kills.ts";

test("a daemon that is killed repeatedly loses and duplicates nothing", async () => {
  expectNothingLostOrDoubled(await killAgainAndAgain(8));
});
