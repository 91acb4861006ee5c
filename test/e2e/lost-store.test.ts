/** Searches the real programs' sessions for a message that is older than the store. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../src/core/delivery/record.ts";
import { observe } from "../../src/core/proof/observe.ts";
import { findAttemptsInDirectory } from "../../src/courier/find-attempts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { startClaude, startOpencode, startPi } from "../support/agents/agent-programs.ts";
import type { AgentWorld } from "../support/agents/agent-world.ts";

const scenes = { answers: [{ say: "It is 4." }] };
const soon = () => AbortSignal.timeout(60_000);

async function loseStore(world: AgentWorld): Promise<void> {
  await world.stop();
  for (const ending of ["", "-wal", "-shm"]) rmSync(join(world.directory, `waybill.db${ending}`), { force: true });
  await world.start();
  await world.waybill.interventions.pause("lane", "for the search");
}

async function find(world: AgentWorld, record: DeliveryRecord) {
  const { store, runtimes } = world.waybill;
  const lane = await store.lane("lane");
  const runtime = runtimes.get(lane?.runtime ?? "") as Runtime;
  if (!lane) throw new Error("there is no lane");
  const { signal: closing } = new AbortController();
  const search = { lane, runtime, store, policy: defaultPolicy, clock: systemClock, closing };
  const found = await findAttemptsInDirectory(record, search);
  if (found === "unreadable") throw new Error("this program lists no sessions");
  return { found, lane, runtime };
}

test.each([
  ["OpenCode", startOpencode],
  ["Claude Code", startClaude],
  ["pi", startPi],
])("a prompt that %s got before the store was lost is found, with its answer", async (_name, start) => {
  const { world } = await start(scenes, [{}]);
  onTestFinished(() => world.dispose());
  await world.send("m0", "answers something else");
  await world.send("m1", "answers this");
  const before = await world.reaches("m1", "responded");
  await loseStore(world);
  await world.send("m1", "answers this");
  const { messageTimestamp, runtimeSessionId: sessionId } = before;
  const record = { ...(await world.delivery("m1")), messageTimestamp };
  const { found, lane, runtime } = await find(world, record);
  expect(found).toMatchObject([{ number: 1, sessionId, prePromptCursor: before.prePromptCursor }]);
  const slices = [await runtime.read(lane, sessionId ?? "", null, soon())];
  const { messageId, replyRecipient } = record;
  const seen = observe({ slices, attempts: found, messageId, replyRecipient, takesIds: runtime.traits.takesIds });
  expect(seen).toMatchObject({ found: true, turnEndedWell: true, evidence: { finalText: "It is 4." } });
  expect(seen.deliveredUserMessageId).toBe(before.deliveredUserMessageId);
});

test("a person's session that was searched is not reported as the lane's", async () => {
  const { world } = await startOpencode(scenes, [{}]);
  onTestFinished(() => world.dispose());
  const { url = "", authorization } = world.supervisor.address() ?? {};
  const call = async (path: string, body: object) => {
    const headers = { "Content-Type": "application/json", Authorization: authorization ?? "" };
    const at = `?directory=${encodeURIComponent(world.work)}`;
    const answer = await fetch(`${url}${path}${at}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id: string };
  };
  const says = (text: string) => ({ parts: [{ type: "text", text }] });
  const person = await call("/session", {});
  await call(`/session/${person.id}/message`, says("answers a person"));
  await world.waybill.interventions.pause("lane", "for the search");
  await world.send("m1", "answers this");
  expect((await find(world, await world.delivery("m1"))).found).toEqual([]);

  const told = new Set<string>();
  world.runtime.onSignal((_lane, { session }) => told.add(session));
  await call(`/session/${person.id}/message`, says("answers a person again"));
  // Events come in order, so those of the lane's own turn come after those of the person's.
  await world.waybill.interventions.resume("lane");
  const { runtimeSessionId } = await world.reaches("m1", "responded");
  expect([...told]).toEqual([runtimeSessionId]);
});
