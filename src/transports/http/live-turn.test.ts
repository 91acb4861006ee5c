/** A lane's live turn, requested in the middle of a scripted agent's turn. */
import { expect, test } from "vitest";
import { anApi, anApiOn } from "../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../test/support/daemon/service-of.ts";
import type { World } from "../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import { liveTurnSchema } from "./event-schemas.ts";

const minute = 60_000;

async function turnOf({ waybill, clock }: World) {
  const { ask } = anApiOn(serviceOf(waybill, () => clock.now()));
  const { status, json } = await ask("/v1/lanes/lane/turn");
  expect(status).toBe(200);
  expect(liveTurnSchema.parse(json())).toEqual(json());
  return liveTurnSchema.parse(json());
}

const lastSeq = ({ waybill }: World) => waybill.store.lastEventSeq("lane");

test("open items are shown with their content so far, even after a restart, and disappear when the turn is over", async () => {
  const steps = [
    { think: "Hm." },
    { say: "Looking." },
    { tool: "bash", input: {}, showsRunning: true, takesMs: minute },
    { say: "Done: 3 files." },
  ];
  const world = await startWorld({ script: { always: [{ steps }] } });
  await world.send({ id: "m1" });
  await world.clock.advance(1000);
  const shown = await turnOf(world);
  expect(shown).toMatchObject({ seq: await lastSeq(world), turn: 1, cut: [] });
  expect(Date.parse(shown.startedAt ?? "")).toBeLessThanOrEqual(world.clock.now());
  expect(shown.items).toMatchObject([
    {
      kind: "message",
      status: "in_progress",
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Looking." },
      ],
    },
  ]);
  await world.stop();
  await world.start();
  await world.clock.advance(1000);
  expect(await turnOf(world)).toEqual({ ...shown, seq: await lastSeq(world) });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  expect(await turnOf(world)).toEqual({ seq: await lastSeq(world), turn: null, startedAt: null, items: [], cut: [] });
});

test("a lane without activity since startup has no open items, and the number of its last event", async () => {
  const world = await startWorld({ script: { always: [{ steps: [{ say: "Done, 3." }] }] } });
  expect(await turnOf(world)).toEqual({ seq: 0, turn: null, startedAt: null, items: [], cut: [] });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  await world.stop();
  await world.start();
  expect(await lastSeq(world)).toBeGreaterThan(0);
  expect(await turnOf(world)).toMatchObject({ seq: await lastSeq(world), turn: null, items: [] });
});

test("an unknown lane is refused", async () => {
  const answer = await anApi().ask("/v1/lanes/nowhere/turn");
  expect([answer.status, answer.json()]).toMatchObject([404, { error: { code: "lane_unknown" } }]);
});
