import { test } from "vitest";
import { expectSentOnce, killedSends } from "../support/agents/agent-sends.ts";

/** One moment for each program; `npm run test:long` has both for both. */
const [before, , , after] = killedSends;

test.each([before, after].filter((one) => one !== undefined))(
  "a message sent by an agent on %s (%s) exists once when the daemon is killed at %s of its call",
  (...killed) => expectSentOnce(killed),
);
