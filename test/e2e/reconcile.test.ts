/** How a daemon handles prompts that it has sent: it reads before it sends, and reading sends nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordingCalls, stubCalls } from "../support/agents/stub-calls.ts";
import { quickDelivery } from "../support/daemon/daemon-home.ts";
import { Program } from "../support/daemon/program.ts";
import { laterBy, moveTimes } from "../support/store/store-times.ts";

let waybill: Program;
beforeEach(() => {
  waybill = new Program({}, { ofModules: true });
});
afterEach(() => waybill.dispose());

async function statuses(): Promise<Record<string, string>> {
  const { deliveries } = await waybill.client().deliveries({});
  return Object.fromEntries(deliveries.map(({ lane, status }) => [lane, status]));
}

/** Moves everything into the past, so that what was scheduled is due, however long the test took. */
function tenMinutesPass(): void {
  const earlier = laterBy(-600_000);
  const db = new Database(join(waybill.home, "waybill.db"));
  moveTimes(db, earlier);
  db.close();
  const journal = join(waybill.home, "stub.jsonl");
  writeFileSync(journal, earlier(readFileSync(journal, "utf8")));
}

test("a scheduled retry is dropped if the answer arrived while the daemon was not running", async () => {
  const answer = { steps: [{ say: "Port 8080." }] };
  const delivery = { ...quickDelivery, retryDelaysMs: [600_000] };
  waybill.configure({ agent: { turns: [{ steps: [] }], always: [answer] } }, { delivery });
  await waybill.up();
  const { deliveryId } = await waybill.client().send({ to: { lane: "agent" }, text: "Which port?" });
  await expect.poll(statuses).toEqual({ agent: "retry_scheduled" });
  await waybill.kill();
  tenMinutesPass();

  // The stub's transcript is derived from its script, so with another script the first turn has an answer after all.
  waybill.configure({ agent: { turns: [answer], always: [{ steps: [{ say: "Asked twice." }] }] } }, { delivery });
  await waybill.up();
  await expect.poll(statuses).toEqual({ agent: "responded" });
  const { replies, audit } = await waybill.client().delivery(deliveryId);
  expect(replies.map(({ text }) => text)).toEqual(["Port 8080."]);
  expect(audit.map(({ event }) => event).slice(-2)).toEqual(["retry_scheduled", "proven"]);
  expect(waybill.prompts()).toHaveLength(1);
});

test("a daemon with the kill switch on keeps reading everything that is due, and sends nothing", async () => {
  const overdue = {
    lost: { always: [{ arrival: "lost" as const }] },
    forgotten: { always: [{ arrival: "forgotten" as const }] },
    empty: { always: [{ steps: [] }] },
    died: { always: [{ steps: [{ crash: true as const }] }] },
  };
  const underway = {
    works: { always: [{ steps: [{ wait: 600_000 }] }] },
    hangs: { always: [{ steps: [{ hang: true as const }] }] },
    asks: { always: [{ steps: [{ ask: "permission" as const }] }] },
  };
  const lanes = { ...overdue, ...underway };
  const all = (status: string, some: object) => Object.fromEntries(Object.keys(some).map((lane) => [lane, status]));
  waybill.configure(lanes, { delivery: { ...quickDelivery, graceMs: 600_000 } });
  await waybill.up();
  for (const lane of Object.keys(lanes)) await waybill.client().send({ to: { lane }, text: "Tidy up." });
  await expect.poll(statuses).toEqual(all("accepted", lanes));
  const sent = waybill.prompts();
  await waybill.kill();

  waybill.configure(lanes, { delivery: { ...quickDelivery, lateReconcileDelaysMs: [100, 100, 100] } });
  await waybill.up({ WAYBILL_WATCHDOG: "0", ...recordingCalls(waybill.directory) });
  const readLanes = () => {
    const reads = stubCalls(waybill.directory).filter(({ call }) => call === "read");
    return Object.keys(lanes).filter((id) => reads.filter(({ lane }) => lane === id).length > 3);
  };
  await expect.poll(readLanes).toEqual(Object.keys(lanes));
  // A read is recorded before what follows from it is committed.
  await expect.poll(statuses).toEqual({ ...all("failed_terminal", overdue), ...all("accepted", underway) });
  expect(stubCalls(waybill.directory).filter(({ call }) => call === "submit")).toEqual([]);
  expect(waybill.prompts()).toEqual(sent);
  const { deliveries } = await waybill.client().deliveries({});
  expect(deliveries.filter(({ readCommittedAt }) => readCommittedAt !== null)).toEqual([]);
});
