/** The daemon as a user runs it, as processes: started, stopped, killed, refused. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newNonce, readServerRecord, writeServerRecord } from "../../src/runtimes/opencode/server/server-record.ts";
import { nonceVariable } from "../../src/runtimes/process/agent-environment.ts";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import { isGone } from "../support/daemon/daemon-process.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";

let waybill: Program;
beforeEach(() => {
  waybill = new Program();
});
afterEach(() => waybill.dispose());

const takes = (ms: number) => ({ always: [{ steps: [{ wait: ms }, { say: "Done: 3 files." }] }] });
const pids = () => [waybill.daemonFile.supervisorPid, waybill.daemonFile.workerPid ?? 0];

/** Sends a message, and resolves once the agent works on it. */
async function sendAndSeeItRun(messageId: string): Promise<void> {
  const client = waybill.client();
  let sent: Promise<unknown> = Promise.resolve();
  const onOpen = () => {
    sent = client.send({ to: { lane: "slow" }, text: "Tidy up.", messageId });
  };
  for await (const event of client.stream({ lane: "slow", onOpen })) {
    if (event.type === "delivery" && event.event === "accepted") break;
  }
  await sent;
}

async function statusOf(messageId: string): Promise<string | undefined> {
  const { deliveries } = await waybill.client().deliveries({ messageId });
  return deliveries[0]?.status;
}

test("the log shows what a start does with a restored store", async () => {
  waybill.configure({ slow: takes(0) });
  const first = await waybill.up();
  await waybill.run(["lanes", "pause", "slow"]);
  await waybill.client().send({ to: { lane: "slow" }, text: "Tidy up.", messageId: "m1" });
  first.kill("SIGTERM");
  await first.exit();
  const backup = join(waybill.directory, "backup.db");
  await waybill.run(["store", "backup", backup]);
  await waybill.run(["store", "restore", backup]);
  const second = await waybill.up();
  await second.waitForLine({ event: "prompt_delivery_ledger_created", inboxMessageId: "m1" });
  second.kill("SIGTERM");
  expect(await second.exit()).toMatchObject({ code: 0 });
});

test("an OpenCode server left behind by a killed daemon is stopped, even if no lane needs it", async () => {
  const directory = join(waybill.home, "opencode-server");
  const nonce = newNonce(directory);
  const env = { ...process.env, [nonceVariable]: nonce };
  const left = spawn("sleep", ["600"], { detached: true, stdio: "ignore", env });
  await once(left, "spawn");
  const [pid, port] = [left.pid ?? 0, await freePort()];
  const processStart = (await processTable()).find((row) => row.pid === pid)?.start ?? null;
  const place = { url: `http://127.0.0.1:${port}`, port, password: "p", passwordIsRandom: true };
  writeServerRecord(directory, { nonce, ...place, startedAt: 1, fingerprint: "f", pid, processStart });
  waybill.configure({}, { opencodeAutoStart: false, opencodeAttachUrl: place.url });
  const daemon = await waybill.up();
  expect(isGone(pid)).toBe(true);
  daemon.kill("SIGTERM");
  expect(await daemon.exit()).toMatchObject({ code: 0 });
});

describe("stopping", () => {
  test("while OpenCode hangs at its start stops both immediately, and leaves nothing running", async () => {
    const opencode = join(waybill.directory, "hanging-opencode");
    const hang = `[ "$1" = --version ] && echo 1.18.33 || exec sleep 600`;
    writeFileSync(opencode, `#!/bin/sh\n${hang}\n`, { mode: 0o755 });
    const [lanes, port] = [[{ id: "a", directory: waybill.work, runtime: "opencode" }], await freePort()];
    const place = { opencodeServePort: port, opencodeAttachUrl: `http://127.0.0.1:${port}` };
    waybill.configure({}, { opencodeBin: opencode, ...place, lanes });
    const daemon = waybill.start(["up"]);
    const server = () => readServerRecord(join(waybill.home, "opencode-server"))?.pid ?? null;
    while (server() === null) await wait(20);
    const pid = server() ?? 0;
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toMatchObject({ code: 0 });
    expect(isGone(pid)).toBe(true);
    expect(server()).toBeNull();
    // The worker was neither killed nor ready.
    expect(daemon.errors).toBe("");
    expect(daemon.lines.map(({ event }) => event)).not.toContain("daemon_ready");
  });

  test("SIGTERM mid-turn waits for the turn, commits its answer, and leaves nothing running", async () => {
    waybill.configure({ slow: takes(1500) });
    const daemon = await waybill.up();
    const running = pids();
    await sendAndSeeItRun("m1");
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    expect(running.filter((pid) => !isGone(pid))).toEqual([]);
    expect(daemon.lines.map((line) => line.event)).toContain("prompt_delivery_response_observed");
  });

  test("a second SIGTERM stops it immediately; the turn stays in the ledger, and the next start finds its answer without asking again", async () => {
    waybill.configure({ slow: { always: [{ steps: [{ hang: true }] }] } }, { drainMs: 600_000 });
    const daemon = await waybill.up();
    const running = pids();
    await sendAndSeeItRun("m1");
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ event: "draining" });
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    expect(running.filter((pid) => !isGone(pid))).toEqual([]);
    expect(daemon.lines.map((line) => line.event)).not.toContain("prompt_delivery_response_observed");
    // The stub's transcript is derived from its script: meanwhile the agent has answered.
    waybill.configure({ slow: takes(0) });
    await waybill.up();
    const { deliveries } = await waybill.client().deliveries({ messageId: "m1" });
    expect(await waybill.client().wait(deliveries[0]?.id ?? "")).toMatchObject({ status: "responded", attempts: 1 });
    expect(waybill.prompts()).toHaveLength(1);
  });

  test("Ctrl-C in a terminal counts once, although the whole group gets it", async () => {
    waybill.configure({ slow: takes(1000) });
    const daemon = await waybill.up();
    await sendAndSeeItRun("m1");
    daemon.killGroup("SIGINT");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    expect(daemon.lines.map((line) => line.event)).toContain("prompt_delivery_response_observed");
  });

  test("while it drains, new messages are rejected, and reads continue", async () => {
    waybill.configure({ slow: { always: [{ steps: [{ hang: true }] }] } }, { drainMs: 600_000 });
    const daemon = await waybill.up();
    await sendAndSeeItRun("m1");
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ event: "draining" });
    const body = JSON.stringify({ to: { lane: "slow" }, text: "One more." });
    const headers = { "Content-Type": "application/json" };
    const refused = await waybill.fetch("/v1/messages", { method: "POST", body, headers });
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "draining" } }]);
    expect(await (await waybill.fetch("/ready")).json()).toMatchObject({ ready: false, reasons: ["draining"] });
    expect(await statusOf("m1")).toBe("accepted");
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    // A refusal by design is no error.
    expect(daemon.lines.filter((line) => "err" in line)).toEqual([]);
  });
});

describe("restarting", () => {
  test("`waybill restart` drains, starts a new worker, and loses nothing", async () => {
    waybill.env.PORT = String(await freePort());
    waybill.configure({ slow: takes(800) });
    const daemon = await waybill.up();
    const before = waybill.daemonFile;
    await sendAndSeeItRun("m1");
    expect(await waybill.run(["restart"])).toMatchObject({ code: 0, stderr: expect.stringMatching(/is restarting/) });
    const after = waybill.daemonFile;
    expect(after.supervisorPid).toBe(before.supervisorPid);
    expect(after.workerPid).not.toBe(before.workerPid);
    expect(isGone(before.workerPid ?? 0)).toBe(true);
    expect(await statusOf("m1")).toBe("responded");
    daemon.kill("SIGTERM");
    await daemon.exit();
  });

  test("`waybill restart` reports a mistake in the configuration, and the daemon keeps running", async () => {
    waybill.configure({ slow: takes(10) });
    await waybill.up();
    const before = waybill.daemonFile;
    waybill.configure({ slow: takes(10) }, { prot: 7717 });
    const { code, stderr } = await waybill.run(["restart"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/prot/)]);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(waybill.daemonFile).toEqual(before);
    expect((await waybill.fetch("/ready")).status).toBe(200);
  });

  test("a start reports that the kill switch is on", async () => {
    waybill.configure({ slow: takes(10) });
    waybill.env.WAYBILL_WATCHDOG = "0";
    const daemon = await waybill.up();
    await daemon.waitForLine({ event: "retries_off" });
  });

  test("a killed worker is restarted, and a waiting sender still gets the outcome", async () => {
    waybill.env.PORT = String(await freePort());
    waybill.configure({ slow: takes(2500) });
    await waybill.up();
    let killed = 0;
    const sent = waybill.run(["send", "--lane", "slow", "--wait", "--json", "Tidy up."], {
      onOutput: (text) => {
        if (killed === 0 && text.includes('"accepted"')) killed = waybill.killWorker();
      },
    });
    const { code, stdout } = await sent;
    expect(killed).toBeGreaterThan(0);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ status: "responded", attempts: 1 });
    expect(waybill.prompts()).toHaveLength(1);
  });
});

describe("not starting", () => {
  const refusal = async (env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await waybill.run(["up"], { env });
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    return { code, stderr };
  };

  test("a second daemon is refused with the first one's process id, and the first keeps running", async () => {
    waybill.configure({ slow: takes(10) });
    await waybill.up();
    const { supervisorPid } = waybill.daemonFile;
    expect(await refusal()).toMatchObject({ code: 1, stderr: expect.stringContaining(String(supervisorPid)) });
    expect((await waybill.fetch("/health")).status).toBe(200);
  });

  test("a port in use is reported, with what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    waybill.configure({ slow: takes(10) });
    expect(await refusal({ PORT: String(port) })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`Port ${port} .*in use.*PORT`, "s")),
    });
    other.close();
  });

  test("a corrupt store is reported and not changed", async () => {
    waybill.configure({ slow: takes(10) });
    mkdirSync(waybill.home);
    writeFileSync(join(waybill.home, "waybill.db"), "this was a store once, long ago ".repeat(300));
    expect(await refusal()).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged.*store restore/s) });
  });

  test("a store of a newer version is refused", async () => {
    waybill.configure({ slow: takes(10) });
    mkdirSync(waybill.home);
    const db = new Database(join(waybill.home, "waybill.db"));
    db.pragma("user_version = 99");
    db.close();
    expect(await refusal()).toMatchObject({ code: 1, stderr: expect.stringMatching(/version 99.*newer/s) });
  });

  test("an unknown key in the configuration is reported, with the nearest one", async () => {
    waybill.configure({ slow: takes(10) }, { relayTimeoutMS: 5 });
    expect(await refusal()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/relayTimeoutMS.*relayTimeoutMs/s),
    });
  });

  test("a missing configuration that WAYBILL_CONFIG names stops the start", async () => {
    waybill.env.WAYBILL_CONFIG = join(waybill.directory, "nowhere.json");
    expect(await refusal()).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere.json") });
  });

  test("an address that other machines can reach is refused unless it is allowed explicitly", async () => {
    waybill.configure({ slow: takes(10) });
    expect(await refusal({ WAYBILL_HOST: "0.0.0.0" })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/allowRemote/),
    });
  });
});
