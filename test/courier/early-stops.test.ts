import { test } from "vitest";
import { everyStopHolds } from "../support/agents/early-stops.ts";

test("a stop works at any moment: nothing keeps running, nothing is sent twice, and clients are notified once", async () => {
  await everyStopHolds(40);
});
