/**
 * A store of the previous version, killed by SIGKILL with a delivery in every state
 * (test/fixtures/store-before-0.2): this version opens it and continues.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import { Program } from "../support/daemon/program.ts";
import { laterBy, moveTimes } from "../support/store/store-times.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/store-before-0.2/${name}`, import.meta.url));
const waybill = new Program();
const leftBehind: Record<string, string> = {};

beforeAll(async () => {
  mkdirSync(waybill.home, { mode: 0o700 });
  const store = join(waybill.home, "waybill.db");
  copyFileSync(fixture("waybill.db"), store);
  const db = new Database(store);
  const last = db.prepare("SELECT max(at) FROM delivery_event").pluck().get() as number;
  const rows = db.prepare("SELECT record ->> 'messageId' AS id, status FROM delivery").all();
  for (const { id, status } of rows as { id: string; status: string }[]) leftBehind[id] = status;
  // An hour ago: at their real age, records would eventually expire and be removed.
  const later = laterBy(Date.now() - 3_600_000 - last);
  moveTimes(db, later);
  db.prepare("UPDATE lane SET directory = ?").run(waybill.work);
  db.close();
  writeFileSync(join(waybill.home, "stub.jsonl"), later(readFileSync(fixture("stub.jsonl"), "utf8")));
  waybill.configure(JSON.parse(readFileSync(fixture("lanes.json"), "utf8")) as Record<string, StubScriptInput>);
  await waybill.up();
});
afterAll(() => waybill.dispose());

describe("a store of the previous version", () => {
  test("has a delivery in every state that a killed daemon leaves", () => {
    expect(leftBehind).toEqual({
      "done-1": "responded",
      "failed-1": "failed_terminal",
      "running-1": "accepted",
      "waiting-1": "pending",
      "retried-1": "retry_scheduled",
      "sent-1": "submitting",
      "sending-1": "submitting",
      "paused-1": "pending",
    });
  });

  test("opens, and each of its deliveries ends with as many prompts as it needs", async () => {
    const ends = {
      "done-1": "responded",
      "failed-1": "failed_terminal",
      "running-1": "responded",
      "waiting-1": "responded",
      "retried-1": "responded",
      "sent-1": "responded",
      "sending-1": "responded",
    };
    await expect.poll(statuses).toEqual({ ...ends, "paused-1": "pending" });
    expect(await waybill.client().lane("paused")).toMatchObject({ pausedReason: expect.any(String) });
    await waybill.client().resumeLane("paused");
    await expect.poll(statuses).toEqual({ ...ends, "paused-1": "responded" });
    const once = Object.fromEntries(Object.keys(leftBehind).map((id) => [id, 1]));
    expect(promptCounts()).toEqual({ ...once, "retried-1": 2 });
  });

  test("loses no answer and gives none twice", async () => {
    const { messages } = await waybill.client().messages({});
    const answers = messages
      .filter(({ relayOfMessageId, from }) => relayOfMessageId !== null && from !== "waybill")
      .map(({ relayOfMessageId, text }) => [relayOfMessageId, text] as const);
    expect(answers).toHaveLength(7);
    expect(Object.fromEntries(answers)).toEqual({
      "done-1": "Answered.",
      "running-1": "Answered while nobody was there.",
      "waiting-1": "Answered.",
      "retried-1": "Answered at the second try.",
      "sent-1": "Answered.",
      "sending-1": "Answered.",
      "paused-1": "Answered.",
    });
  });

  test("has statistics that count old and new outcomes, each once", async () => {
    const { totals } = await waybill.client().stats({ days: 3 });
    const sum = (field: "responded" | "failed" | "cancelled" | "retries") =>
      totals.reduce((all, day) => all + day[field], 0);
    expect({ responded: sum("responded"), failed: sum("failed"), cancelled: sum("cancelled") }).toEqual({
      responded: 7,
      failed: 1,
      cancelled: 0,
    });
    expect(sum("retries")).toBeGreaterThanOrEqual(1);
    // Earlier outcomes were not timed.
    expect(totals.reduce((all, { proof }) => all + (proof?.count ?? 0), 0)).toBe(6);
  });

  test("passes the store check afterwards", async () => {
    await waybill.kill();
    expect(await waybill.run(["store", "check"])).toMatchObject({ code: 0 });
  });
});

async function statuses(): Promise<Record<string, string>> {
  const { deliveries } = await waybill.client().deliveries({});
  return Object.fromEntries(deliveries.map(({ messageId, status }) => [messageId, status]));
}

/** By the message whose text is in the prompt. */
function promptCounts(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { text } of waybill.prompts()) {
    const id = text.match(/The text of ([\w-]+)\./)?.[1] ?? "?";
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}
