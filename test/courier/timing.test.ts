import { expect, test } from "vitest";
import { startWorld } from "../support/daemon/waybill.ts";

test("an attempt records when it was sent, stored, begun, finished and proven", async () => {
  const world = await startWorld({
    script: {
      turns: [{ steps: [{ wait: 3000 }, { tool: "read" }, { wait: 4000 }, { say: "Port 8080." }] }],
      stepMs: 5,
    },
  });
  await world.send({ id: "m1" });
  const [attempt] = (await world.reaches("m1", "responded")).attemptList;
  const since = (at: number | null | undefined) => (at == null ? null : at - (attempt?.submittedAt ?? 0));
  expect({
    stored: since(attempt?.storedAt),
    firstToken: since(attempt?.firstTokenAt),
    lastActivity: since(attempt?.lastActivityAt),
    finished: since(attempt?.finishedAt),
    proven: since(attempt?.provenAt),
  }).toEqual({ stored: 0, firstToken: 3005, lastActivity: 7015, finished: 7015, proven: 7015 });
});

test("a turn that continues after its proof is finished when it ends, and proven before", async () => {
  const world = await startWorld({
    lanes: [{ contract: "tool" }],
    script: { turns: [{ steps: [{ reply: "The port is 8080." }, { wait: 60_000 }, { say: "Sent." }] }] },
  });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  expect((await world.delivery("m1")).attemptList).toMatchObject([
    { finishedAt: null, provenAt: expect.any(Number), firstTokenAt: expect.any(Number) },
  ]);
  await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
  const [attempt] = (await world.delivery("m1")).attemptList;
  expect(attempt?.finishedAt).toBeGreaterThan(attempt?.provenAt ?? Number.POSITIVE_INFINITY);
});

test("an attempt without a result has no proof, and the answered one has", async () => {
  const world = await startWorld({ script: { turns: [{ steps: [] }, { steps: [{ say: "Port 8080." }] }] } });
  await world.send({ id: "m1" });
  expect((await world.reaches("m1", "responded")).attemptList).toMatchObject([
    { firstTokenAt: null, finishedAt: expect.any(Number), provenAt: null },
    { firstTokenAt: expect.any(Number), finishedAt: expect.any(Number), provenAt: expect.any(Number) },
  ]);
});
