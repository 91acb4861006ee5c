import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { nonceVariable } from "../../src/runtimes/process/agent-environment.ts";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import { JsonLineProcess } from "../../src/runtimes/process-pool/json-line-process.ts";
import { OrphanedProcesses } from "../../src/runtimes/process-pool/orphaned-processes.ts";
import type { ProcessRecord } from "../../src/runtimes/process-pool/process-record.ts";
import { readProcessRecords, writeProcessRecord } from "../../src/runtimes/process-pool/process-record.ts";

let records = "";
let orphans: OrphanedProcesses;
let gone: string[];
let started: ChildProcess[];

beforeEach(() => {
  records = mkdtempSync(join(tmpdir(), "waybill-left-"));
  gone = [];
  started = [];
  orphans = newRun();
});
afterEach(async () => {
  await orphans.close(true);
  for (const child of started) child.kill("SIGKILL");
  rmSync(records, { recursive: true });
});

function newRun(): OrphanedProcesses {
  return new OrphanedProcesses({
    records,
    clock: systemClock,
    endMs: 3000,
    onEnd: ({ nonce }) => gone.push(nonce),
    onError: (error) => {
      throw error;
    },
  });
}

/** A process that runs for a minute and carries a nonce, like a program and its tools. */
async function start(nonce: string): Promise<ChildProcess> {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore", env: { [nonceVariable]: nonce } });
  started.push(child);
  await once(child, "spawn");
  return child;
}

function writeDown(record: Partial<ProcessRecord>): void {
  writeProcessRecord(records, {
    ...{ nonce: "n1", laneId: "lane", sessionId: "session", pid: null, processStart: null },
    ...record,
  });
}

const isRunning = async ({ pid }: ChildProcess) => (await processTable()).some((row) => row.pid === pid);

describe("a process of an earlier run", () => {
  test("that has a record but was never started is ignored", async () => {
    writeDown({});
    await orphans.load();
    expect(orphans.has("session")).toBe(false);
    expect(readProcessRecords(records)).toEqual([]);
  });

  test("that has no recorded process id is still found", async () => {
    const program = await start("n1");
    writeDown({});
    await orphans.load();
    expect(orphans.has("session")).toBe(true);
    expect(orphans.has("another")).toBe(false);
    await orphans.end("session");
    expect(orphans.has("session")).toBe(false);
    expect(await isRunning(program)).toBe(false);
    expect(readProcessRecords(records)).toEqual([]);
    expect(gone).toEqual(["n1"]);
  });

  test("is ended if its program has ended, as with leftover tools", async () => {
    const tool = await start("n1");
    writeDown({ pid: 2 ** 22 + 1, processStart: "long ago" });
    await orphans.load();
    expect(await isRunning(tool)).toBe(false);
    expect(orphans.has("session")).toBe(false);
  });

  test("is not confused with a later process with the same id", async () => {
    const stranger = await start("somebody else's");
    writeDown({ pid: stranger.pid as number, processStart: "long ago" });
    await orphans.load();
    expect(orphans.has("session")).toBe(false);
    expect(await isRunning(stranger)).toBe(true);
  });

  test("keeps its session busy until the last of several programs has ended", async () => {
    const [one, other] = [await start("n1"), await start("n2")];
    writeDown({});
    writeDown({ nonce: "n2" });
    await orphans.load();
    one.kill("SIGKILL");
    await expect.poll(() => gone).toEqual(["n1"]);
    expect(orphans.has("session")).toBe(true);
    other.kill("SIGKILL");
    await expect.poll(() => orphans.has("session")).toBe(false);
  });

  test("survives a restart, and is ended by a stop", async () => {
    const program = await start("n1");
    writeDown({});
    await orphans.load();
    await orphans.close(true);
    expect(await isRunning(program)).toBe(true);
    orphans = newRun();
    await orphans.load();
    await orphans.close(false);
    expect(await isRunning(program)).toBe(false);
    expect(readProcessRecords(records)).toEqual([]);
  });
});

test("a program counts as ended even if its child processes keep its output open", async () => {
  const lines: string[] = [];
  const ends: string[] = [];
  const program = await JsonLineProcess.start({
    kind: { name: "It", code: "it", setting: "itBin" },
    path: "/bin/sh",
    args: ["-c", "sleep 60 & echo $!; exit 3"],
    directory: records,
    env: { PATH: process.env.PATH ?? "" },
    onLine: (line) => lines.push(line),
    onEnd: (how) => ends.push(how),
  });
  await program.ended;
  process.kill(Number(lines[0]), "SIGKILL");
  expect(ends).toEqual(["It ended with exit code 3."]);
});
