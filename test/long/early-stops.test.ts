import { test } from "vitest";
import { everyStopHolds } from "../support/agents/early-stops.ts";

test("a thousand stops at random moments all hold", async () => {
  await everyStopHolds(1000);
});
