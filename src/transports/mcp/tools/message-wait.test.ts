import { expect, test } from "vitest";
import { testAgents } from "../../../../test/support/agents/agent-service.ts";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import type { Caller } from "../../../service/agent-service.ts";
import { messageWait } from "./message-wait.ts";

const tom: Caller = { kind: "member", team: "core", member: "tom" };

async function waitingFor(seconds: number) {
  const agents = testAgents();
  const clock = new ManualClock();
  const { messageId } = await agents.send(tom, { to: "anna", text: "Green?" });
  const stop = new AbortController();
  const context = { agents, caller: tom, clock, signal: stop.signal };
  const result = messageWait.run({ messageId, timeoutSeconds: seconds }, context);
  return { agents, clock, result, stop };
}

test("message_wait returns when the time is over", async () => {
  const { clock, result, agents } = await waitingFor(50);
  await clock.advance(49_999);
  expect(agents.waiting).toBe(1);
  await clock.advance(1);
  expect((await result).data).toMatchObject({ state: "waiting" });
  expect(clock.pending).toBe(0);
});

test("message_wait leaves no timer behind when the client disconnects", async () => {
  const { clock, result, stop } = await waitingFor(45);
  stop.abort();
  expect((await result).data).toMatchObject({ state: "waiting" });
  expect(clock.pending).toBe(0);
});
