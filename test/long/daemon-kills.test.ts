import { test } from "vitest";
import { killAgainAndAgain } from "../support/daemon/daemon-kills.ts";
import { expectNothingLostOrDoubled } from "../support/agents/expect-killed-run.ts";

test("a hundred kills under a stream of sends: every 202 gets an outcome, and none is duplicated", async () => {
  expectNothingLostOrDoubled(await killAgainAndAgain(100));
});
