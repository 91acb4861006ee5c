import { test } from "vitest";
import { expectSentOnce, killedSends } from "../support/agents/agent-sends.ts";

test.each(killedSends)(
  "a message sent by an agent on %s (%s) exists once when the daemon is killed at %s of its call",
  (...killed) => expectSentOnce(killed),
);
