import { test } from "vitest";
import { everyMessageEnds } from "../support/agents/random-agents.ts";

test("every message ends whatever the agent does, over a thousand runs", async () => {
  await everyMessageEnds(1000);
});
