/** The daemon's daily statistics: how messages ended, even after it was killed. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { dayOf } from "../../src/core/lane/lane.ts";
import { Program } from "../support/daemon/program.ts";

let waybill: Program;
beforeEach(() => {
  waybill = new Program();
});
afterEach(() => waybill.dispose());

test("each message counts once, by its outcome, and a kill changes nothing", async () => {
  waybill.configure({
    quick: { always: [{ steps: [{ say: "There are 2 of them." }] }] },
    second: { turns: [{ steps: [] }], always: [{ steps: [{ say: "There are 2 of them." }] }] },
    silent: { always: [{ steps: [] }] },
  });
  await waybill.up();
  const client = waybill.client();
  const send = (lane: string, text: string) => client.sendAndWait({ to: { lane }, text });
  await Promise.all([send("quick", "one"), send("quick", "two"), send("second", "one"), send("silent", "one")]);
  const { days, totals, from, to } = await client.stats({ days: 2 });
  const today = dayOf(Date.now());
  expect([from < to, to]).toEqual([true, today]);
  const once = { count: 1, meanMs: expect.any(Number) };
  expect(days).toMatchObject([
    { day: today, lane: "quick", responded: 2, failed: 0, retries: 0, proof: { count: 2 }, firstToken: { count: 2 } },
    { day: today, lane: "second", responded: 1, failed: 0, retries: 1, accept: once, proof: once },
    { day: today, lane: "silent", responded: 0, failed: 1, retries: 2, accept: null, proof: null },
  ]);
  expect(totals).toMatchObject([
    { day: today, responded: 3, failed: 1, cancelled: 0, retries: 3, proof: { count: 3 } },
  ]);
  for (const { accept, proof } of days) {
    if (accept && proof) expect(accept.maxMs).toBeLessThanOrEqual(proof.maxMs);
  }

  await waybill.kill();
  await waybill.up();
  const again = waybill.client();
  expect((await again.stats({ days: 2 })).days).toEqual(days);
  const { deliveries } = await again.deliveries({ lane: "silent" });
  await again.cancel(deliveries[0]?.id ?? "");
  expect((await again.stats({ lane: "silent" })).days).toMatchObject([{ failed: 0, cancelled: 1, retries: 2 }]);
});
