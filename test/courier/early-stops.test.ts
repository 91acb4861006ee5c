import { test } from "vitest";
import { everyStopHolds } from "../support/early-stops.ts";

test("a stop holds at any moment: nothing runs on, nothing is sent twice, and clients are told once", async () => {
  await everyStopHolds(40);
});
