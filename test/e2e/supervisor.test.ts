/** The supervisor and its worker as real processes, with real signals. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readDaemonFile, writeDaemonFile } from "../../src/daemon/supervisor/daemon-file.ts";
import { daemonHolder } from "../../src/daemon/supervisor/daemon-lock.ts";
import { storeHolder } from "../../src/store/sqlite/file/lock.ts";
import { DaemonProcess, isGone } from "../support/daemon/daemon-process.ts";

let home: string;
let running: DaemonProcess[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-up-"));
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.dispose();
  rmSync(home, { recursive: true, force: true });
});

const storePath = () => join(home, "waybill.db");

/** Short only for tests whose worker should be killed; long for all others, however slow the machine. */
function up(behaviour: string, { timeoutMs = 600_000 } = {}): DaemonProcess {
  const daemon = DaemonProcess.supervisor(home, behaviour, timeoutMs);
  running.push(daemon);
  return daemon;
}

/** Long enough for a busy machine to let the worker print what it ignores. */
const impatient = { timeoutMs: 3000 };

function nothingIsLeft(...pids: number[]): void {
  expect(pids.filter((pid) => !isGone(pid))).toEqual([]);
  expect(existsSync(join(home, "daemon.json"))).toBe(false);
  expect([daemonHolder(home), storeHolder(storePath())]).toEqual([null, null]);
}

describe("while it runs", () => {
  test("the daemon's file names its processes and addresses, and is removed afterwards", async () => {
    const daemon = up("polite");
    const started = await daemon.waitForLine({ event: "worker_started" });
    const { pid: supervisorPid } = daemon;
    await daemon.waitForLine({ event: "worker_ready" });
    expect(readDaemonFile(home)).toEqual({
      supervisorPid,
      workerPid: started.pid,
      url: "http://127.0.0.1:7399",
      port: 7399,
      opencodeApiUrl: null,
      runId: `run-${started.pid}`,
      startedAt: expect.any(Number),
      version: "test",
    });
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    nothingIsLeft(supervisorPid, Number(started.pid));
  });

  test("a second daemon is refused with the first one's process id, and changes nothing", async () => {
    const first = up("polite");
    await first.readyWorker();
    const before = readDaemonFile(home);
    const second = up("polite");
    expect(await second.waitForLine({ event: "refused" })).toMatchObject({
      code: "daemon_running",
      message: expect.stringContaining(`process ${first.pid})`),
      hint: expect.stringContaining("waybill restart"),
    });
    expect(await second.exit()).toMatchObject({ code: 1 });
    expect(readDaemonFile(home)).toEqual(before);
    first.kill("SIGTERM");
    expect(await first.exit()).toMatchObject({ code: 0 });
  });
});

describe("a worker that exits on its own", () => {
  test("by a crash is restarted, each time after a longer delay", async () => {
    const daemon = up("crash");
    const waits: unknown[] = [];
    for (let crash = 0; crash < 3; crash++) waits.push((await daemon.waitForLine({ event: "worker_ended" })).next);
    expect(waits).toEqual([20, 40, 80].map((delayMs, before) => ({ action: "restart", delayMs, crashes: before + 1 })));
    await daemon.waitForLine({ event: "worker_started" });
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toMatchObject({ code: 0 });
  });

  test("by a signal counts as a crash; a stop during the delay takes effect immediately", async () => {
    const daemon = up("crash_slowly");
    const { end, next } = await daemon.waitForLine({ event: "worker_ended" });
    expect({ end, next }).toMatchObject({ end: { code: null, signal: "SIGSEGV" }, next: { delayMs: 600_000 } });
    expect(readDaemonFile(home)).toMatchObject({ workerPid: null, url: null });
    daemon.kill("SIGINT");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    nothingIsLeft(daemon.pid);
  });

  test("for a planned restart exits even if a part of it cannot be closed", async () => {
    const daemon = up("restart_never_closes");
    const { next } = await daemon.waitForLine({ event: "worker_ended" });
    expect(next).toEqual({ action: "restart", delayMs: 0, crashes: 0 });
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
  });

  test("for a planned restart drains, and a new one starts immediately", async () => {
    const daemon = up("restart");
    const first = await daemon.readyWorker();
    await daemon.waitForLine({ worker: "draining", pid: first });
    await daemon.waitForLine({ worker: "closed", pid: first });
    expect((await daemon.waitForLine({ event: "worker_ended" })).next).toEqual({
      action: "restart",
      delayMs: 0,
      crashes: 0,
    });
    const second = await daemon.readyWorker();
    expect(second).not.toBe(first);
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toMatchObject({ code: 0 });
    await daemon.outputEnd();
    nothingIsLeft(first, second);
  });

  test("because it refuses to start is not restarted, and the daemon exits with an error", async () => {
    const daemon = up("refuse");
    await daemon.waitForLine({ worker: "refused", code: "config_invalid" });
    expect(await daemon.exit()).toEqual({ code: 1, signal: null });
    expect(daemon.lines.filter(({ event }) => event === "worker_started")).toHaveLength(1);
    nothingIsLeft(daemon.pid);
  });

  test("because of a temporary problem is restarted", async () => {
    const daemon = up("refuse_for_now");
    await daemon.waitForLine({ worker: "refused", code: "store_unwritable" });
    await daemon.waitForLine({ worker: "refused", code: "store_unwritable" });
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toMatchObject({ code: 0 });
  });
});

describe("a stop request", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "by %s makes the worker drain, and a second one stops it immediately",
    async (signal) => {
      const daemon = up("drains_long");
      const worker = await daemon.readyWorker();
      daemon.kill(signal);
      await daemon.waitForLine({ worker: "draining" });
      daemon.kill(signal);
      await daemon.waitForLine({ worker: "stopping now" });
      await daemon.waitForLine({ worker: "closed" });
      expect(await daemon.exit()).toEqual({ code: 0, signal: null });
      nothingIsLeft(daemon.pid, worker);
    },
  );

  test("reaches the worker once, even if it comes from a terminal", async () => {
    const daemon = up("stubborn", impatient);
    await daemon.readyWorker();
    // What a terminal does on Ctrl-C: it signals the whole foreground process group.
    daemon.killGroup("SIGINT");
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    await daemon.outputEnd();
    const ignored = daemon.lines.filter((line) => line.worker === "ignores").map((line) => line.signal);
    // The second is the supervisor's own, which stops it immediately.
    expect(ignored).toEqual(["SIGTERM", "SIGINT"]);
  });

  test("is not forced if the drain time exceeds what a timer can hold", async () => {
    const daemon = up("drains_for_weeks");
    await daemon.readyWorker();
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ worker: "draining" });
    await wait(300);
    expect(daemon.lines).not.toContainEqual(expect.objectContaining({ worker: "stopping now" }));
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ worker: "stopping now" });
    expect(await daemon.exit()).toMatchObject({ code: 0 });
    expect(daemon.errors).toBe("");
  });

  test("also stops a worker that drains for a restart", async () => {
    const daemon = up("restart_drains_long");
    await daemon.waitForLine({ worker: "draining" });
    daemon.kill("SIGTERM");
    daemon.kill("SIGINT");
    await daemon.waitForLine({ worker: "stopping now" });
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    expect(daemon.lines.filter(({ event }) => event === "worker_started")).toHaveLength(1);
  });

  test("that a worker ignores ends with a kill, even without a second request", async () => {
    const daemon = up("stubborn", impatient);
    const worker = await daemon.readyWorker();
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ worker: "ignores", signal: "SIGTERM" });
    // The second request comes from the supervisor, after the worker's drain time.
    await daemon.waitForLine({ worker: "ignores", signal: "SIGINT" });
    await daemon.waitForLine({ event: "worker_killed" });
    expect(await daemon.exit()).toEqual({ code: 0, signal: null });
    nothingIsLeft(daemon.pid, worker);
  });

  test("closes everything even if draining fails", async () => {
    const daemon = up("drain_fails");
    await daemon.readyWorker();
    daemon.kill("SIGTERM");
    await daemon.waitForLine({ worker: "error", message: "Error: no way to drain" });
    await daemon.waitForLine({ worker: "closed" });
    expect(await daemon.exit()).toMatchObject({ code: 0 });
  });
});

describe("a worker whose supervisor was killed", () => {
  test("drains and exits on its own", async () => {
    const daemon = up("polite");
    const worker = await daemon.readyWorker();
    daemon.kill("SIGKILL");
    await daemon.waitForLine({ worker: "draining", pid: worker });
    await daemon.waitForLine({ worker: "closed", pid: worker });
    await daemon.outputEnd();
    expect(isGone(worker)).toBe(true);
    const next = up("polite");
    await next.readyWorker();
    expect(next.lines.filter(({ event }) => event === "orphaned_worker_found")).toEqual([]);
    next.kill("SIGTERM");
    expect(await next.exit()).toMatchObject({ code: 0 });
  });

  test("and that drains for long is stopped by the next start, which takes over the store", async () => {
    const daemon = up("drains_long");
    const worker = await daemon.readyWorker();
    daemon.kill("SIGKILL");
    await daemon.waitForLine({ worker: "draining", pid: worker });
    const next = up("polite");
    expect(await next.waitForLine({ event: "orphaned_worker_found" })).toMatchObject({ pid: worker });
    await daemon.waitForLine({ worker: "stopping now", pid: worker });
    const fresh = await next.readyWorker();
    expect(storeHolder(storePath())).toEqual({ pid: fresh });
    expect(next.lines.filter(({ event }) => event === "orphaned_worker_killed")).toEqual([]);
  });

  test("and that ignores everything is killed by the next start, which takes over the store", async () => {
    const daemon = up("stubborn");
    const worker = await daemon.readyWorker();
    daemon.kill("SIGKILL");
    await daemon.waitForLine({ worker: "ignores", signal: "disconnect" });
    const next = up("polite", impatient);
    expect(await next.waitForLine({ event: "orphaned_worker_killed" })).toMatchObject({ pid: worker });
    const fresh = await next.readyWorker();
    expect(storeHolder(storePath())).toEqual({ pid: fresh });
    next.kill("SIGTERM");
    expect(await next.exit()).toMatchObject({ code: 0 });
    nothingIsLeft(worker, fresh);
  });
});

describe("a process that is not the daemon's own worker", () => {
  /** Prints a line when a signal reaches it. */
  async function foreignProcess(place: string): Promise<DaemonProcess> {
    const foreign = DaemonProcess.worker(place, "stubborn");
    running.push(foreign);
    await foreign.waitForLine({ worker: "started" });
    return foreign;
  }
  function expectUntouched(one: DaemonProcess): void {
    expect(isGone(one.pid)).toBe(false);
    expect(one.lines.filter((line) => line.worker === "ignores")).toEqual([]);
  }
  const left = {
    supervisorPid: 1,
    url: null,
    port: null,
    opencodeApiUrl: null,
    runId: null,
    startedAt: 0,
    version: "test",
  };

  test("is not touched if it holds the store; the daemon names it and exits", async () => {
    const holder = await foreignProcess(home);
    await untilHeld(holder.pid);
    const bystander = await foreignProcess(mkdtempSync(join(home, "other-")));
    writeDaemonFile(home, { ...left, workerPid: bystander.pid });
    const daemon = up("polite");
    expect(await daemon.waitForLine({ worker: "refused", code: "store_locked" })).toMatchObject({
      message: expect.stringContaining(`process ${holder.pid}.`),
    });
    expect(await daemon.exit()).toMatchObject({ code: 1 });
    for (const one of [holder, bystander]) expectUntouched(one);
  });

  test("is not touched if it only has the old worker's process id", async () => {
    const foreign = await foreignProcess(mkdtempSync(join(home, "other-")));
    writeDaemonFile(home, { ...left, workerPid: foreign.pid });
    const daemon = up("polite");
    await daemon.readyWorker();
    daemon.kill("SIGTERM");
    expect(await daemon.exit()).toMatchObject({ code: 0 });
    expectUntouched(foreign);
  });
});

test("a worker without a supervisor drains and exits on a signal", async () => {
  const worker = DaemonProcess.worker(home, "drains_long");
  running.push(worker);
  await worker.waitForLine({ worker: "started" });
  await untilHeld(worker.pid);
  worker.kill("SIGINT");
  await worker.waitForLine({ worker: "draining" });
  worker.kill("SIGTERM");
  await worker.waitForLine({ worker: "stopping now" });
  expect(await worker.exit()).toEqual({ code: 0, signal: null });
});

/** A worker without a supervisor does not report when it has the store. */
async function untilHeld(pid: number): Promise<void> {
  await expect.poll(() => storeHolder(storePath())?.pid).toBe(pid);
}
