/** The doctor's report from a running daemon: what it says about the daemon itself, with the real OpenCode. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DoctorReport } from "../../src/client/index.ts";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";
import { opencodeBin } from "../support/opencode/opencode-server.ts";

const waybill = new Program();
let model: ScriptedModel;
let url: string;

beforeAll(async () => {
  model = await startScriptedModel({ script: { rules: [{ steps: [{ say: "There are 2 of them." }] }] } });
  Object.assign(waybill.env, isolatedHome(waybill.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)),
  });
  // The daemon's own server ends up where the doctor looks for a server to attach to.
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  waybill.configure(
    {},
    {
      ...{ opencodeBin, opencodeAttachUrl: url, opencodeServePort: port },
      lanes: [{ id: "planner", directory: waybill.work, runtime: "opencode", agent: "plan" }],
    },
  );
  await waybill.up();
});
afterAll(async () => {
  await waybill.dispose();
  await model.close();
});

const checksOf = ({ checks }: DoctorReport) => new Map(checks.map((check) => [check.name, check]));
const troubled = ({ checks }: DoctorReport) => checks.filter(({ status }) => status === "failed");

/** The processes that the daemon runs it in. */
async function doctors(): Promise<unknown[]> {
  const { workerPid } = waybill.daemonFile;
  return (await processTable()).filter(({ parent, command }) => parent === workerPid && / doctor --json/.test(command));
}

test("says that the daemon itself uses the store and the port, and what its OpenCode knows", async () => {
  const client = waybill.client();
  const { workerPid, supervisorPid } = waybill.daemonFile;
  await client.sendAndWait({ to: { lane: "planner" }, text: "How many are there?" });
  const report = await client.doctor();
  const checks = checksOf(report);
  expect(troubled(report)).toEqual([]);
  expect(checks.get("store")?.detail).toContain(`in use by process ${workerPid}`);
  expect(checks.get("port")?.detail).toContain(`(process ${supervisorPid})`);
  expect(checks.get("server opencode")?.detail).toContain(`runs its own server at ${url}`);
  expect(checks.get("agent of lane planner")).toMatchObject({ status: "ok" });
  const printed = await waybill.json<DoctorReport>("doctor");
  const settled = ({ checks: all }: DoctorReport) => all.filter(({ name }) => name !== "clock");
  expect(settled(printed)).toEqual(settled(report));
});

test("is shared by concurrent requests, leaves nothing running, and later shows what has changed", async () => {
  const client = waybill.client();
  const asked = Promise.all([client.doctor(), client.doctor(), client.doctor()]);
  await expect.poll(doctors).toHaveLength(1);
  // Each run would report a different time.
  expect(new Set((await asked).map((report) => JSON.stringify(report))).size).toBe(1);
  expect(await doctors()).toEqual([]);
  writeFileSync(join(waybill.directory, "config.json"), '{"prot": 1}');
  expect(checksOf(await client.doctor()).get("config")).toMatchObject({
    status: "failed",
    fix: expect.stringMatching(/"port"/),
  });
});

test("needs the token", async () => {
  const address = waybill.daemonFile.url ?? "";
  expect((await fetch(`${address}/v1/doctor`)).status).toBe(401);
});
