import { test } from "vitest";
import { killAgainAndAgain } from "../support/daemon-kills.ts";
import { expectNothingLostOrDoubled } from "../support/expect-killed-run.ts";

test("a daemon that is killed again and again loses and doubles nothing", async () => {
  expectNothingLostOrDoubled(await killAgainAndAgain(8));
});
