import { test } from "vitest";
import { expectNothingLostOrDoubled } from "../support/agents/expect-killed-run.ts";
import { killAgainAndAgain } from "../support/daemon/daemon-kills.ts";

test("a hundred kills under a stream of sends: every 202 gets an outcome, and none is duplicated", async () => {
  expectNothingLostOrDoubled(await killAgainAndAgain(100));
});
