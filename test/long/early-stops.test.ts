import { test } from "vitest";
import { everyStopHolds } from "../support/early-stops.ts";

test("a thousand stops hold, each at a moment of its own", async () => {
  await everyStopHolds(1000);
});
