import { test } from "vitest";
import { everyMessageEnds } from "../support/random-agents.ts";

test("whatever the agent does, for much longer", async () => {
  await everyMessageEnds(1000);
});
