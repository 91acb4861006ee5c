import { test } from "vitest";
import { everyMessageEnds } from "../support/agents/random-agents.ts";

test("whatever the agent does, and whenever Waybill is restarted, every message ends, in order, within its budget", async () => {
  await everyMessageEnds(40);
});
