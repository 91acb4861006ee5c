/**
 * An upgrade from the oldest store in the fixtures, with lanes on the real OpenCode: a lane continues in the session that it
 * had, and a message that was waiting is delivered.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";
import { opencodeBin } from "../support/opencode/opencode-server.ts";
import { laterBy, moveTimes } from "../support/store/store-times.ts";

const fixture = fileURLToPath(new URL("../fixtures/store-before-0.2/waybill.db", import.meta.url));
const waybill = new Program();
let model: ScriptedModel;
let sessionBefore: string | null;

beforeAll(async () => {
  model = await startScriptedModel({ script: { otherwise: [{ say: "You said: {{text}}" }] } });
  const port = await freePort();
  Object.assign(waybill.env, isolatedHome(waybill.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)),
  });
  const lanes = ["done", "paused"].map((id) => ({ id, directory: waybill.work }));
  const server = { opencodeBin, opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeServePort: port };
  waybill.configure({}, { modelProvider: "opencode_cli", ...server, lanes });

  // The session of the older version: OpenCode keeps it, whatever becomes of Waybill's store.
  const daemon = await waybill.up();
  await waybill.client().sendAndWait({ to: { lane: "done" }, text: "Remember me." });
  ({ sessionId: sessionBefore } = await waybill.client().lane("done"));
  daemon.kill("SIGTERM");
  await daemon.exit();
  rmSync(waybill.home, { recursive: true });
  mkdirSync(waybill.home, { mode: 0o700 });

  const store = join(waybill.home, "waybill.db");
  copyFileSync(fixture, store);
  const db = new Database(store);
  expect(db.pragma("user_version", { simple: true })).toBe(4);
  const last = db.prepare("SELECT max(at) FROM delivery_event").pluck().get() as number;
  moveTimes(db, laterBy(Date.now() - 3_600_000 - last));
  db.prepare("UPDATE lane SET runtime = 'opencode', directory = ?").run(waybill.work);
  db.prepare("UPDATE lane SET session_id = ? WHERE id = 'done'").run(sessionBefore);
  db.close();
  await waybill.up();
});
afterAll(async () => {
  await waybill.dispose();
  await model.close();
});

test("a lane continues in the OpenCode session that it had", async () => {
  expect(await waybill.client().lane("done")).toMatchObject({ runtime: "opencode", sessionId: sessionBefore });
  const delivery = await waybill.client().sendAndWait({ to: { lane: "done" }, text: "Are you still there?" });
  expect(delivery).toMatchObject({ status: "responded", attempts: 1, sessionId: sessionBefore });
  const { messages } = await waybill.client().messages({ lane: "done" });
  expect(messages.map(({ id }) => id)).toContain("done-1");
});

test("a message that waited before the upgrade is delivered after it", async () => {
  const client = waybill.client();
  await client.resumeLane("paused");
  const { deliveries } = await client.deliveries({ messageId: "paused-1" });
  expect(await client.wait(deliveries[0]?.id ?? "")).toMatchObject({ status: "responded", attempts: 1 });
});
