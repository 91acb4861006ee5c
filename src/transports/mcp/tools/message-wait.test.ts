import { expect, test } from "vitest";
import { testAgents } from "../../../../test/support/agent-service.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Caller } from "../../../service/agent-service.ts";
import { messageWait } from "./message-wait.ts";
import type { ToolContext } from "./tool.ts";

const tom: Caller = { kind: "member", team: "core", member: "tom" };

async function waitingFor(seconds: number, progress: ToolContext["progress"]) {
  const agents = testAgents();
  const clock = new ManualClock();
  const { messageId } = await agents.send(tom, { to: "anna", text: "Green?" });
  const stop = new AbortController();
  const context = { agents, caller: tom, clock, signal: stop.signal, progress };
  const result = messageWait.run({ messageId, timeoutSeconds: seconds }, context);
  return { agents, clock, result, stop };
}

test("progress comes every ten seconds to a client that asked for it", async () => {
  const seen: unknown[] = [];
  const { clock, result, agents } = await waitingFor(120, (...progress) => void seen.push(progress));
  await clock.advance(25_000);
  const message = "Waiting for the answer to m1.";
  expect(seen).toEqual([
    [10, 120, message],
    [20, 120, message],
  ]);
  await clock.advance(94_999);
  expect(agents.waiting).toBe(1);
  await clock.advance(1);
  expect((await result).data).toMatchObject({ state: "waiting" });
  expect(clock.pending).toBe(0);
});

test("a client that asked for none is answered before it gives up", async () => {
  const { clock, result, agents } = await waitingFor(600, null);
  await clock.advance(49_999);
  expect(agents.waiting).toBe(1);
  await clock.advance(1);
  expect((await result).data).toMatchObject({ state: "waiting" });
});

test("leaves no timer behind when the client is gone", async () => {
  const { clock, result, stop } = await waitingFor(45, () => {});
  stop.abort();
  expect((await result).data).toMatchObject({ state: "waiting" });
  expect(clock.pending).toBe(0);
});
