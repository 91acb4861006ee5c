/**
 * Measures the cost of an idle Waybill: start to ready, memory, CPU of an idle minute, and the start of the command line.
 * Everything is measured from outside, through `/proc`, so it runs on Linux only. No agent program is involved.
 *
 *     node bench/footprint.mjs [--idle SECONDS] [--starts N] [--lanes N] [--settle SECONDS]
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const program = fileURLToPath(new URL("../bin/waybill", import.meta.url));

/**
 * Times in milliseconds, memory in MB, CPU in percent of one core; `samples` are the single measurements. Work that follows
 * a start is not counted as idle: V8 runs a last garbage collection after a quiet period, up to twenty seconds after the
 * last request.
 */
export async function run({ idleSeconds = 60, starts = 10, lanes = 1000, settleSeconds = 25 } = {}) {
  const settled = () => wait(settleSeconds * 1000);
  const startToReady = [];
  for (let count = 0; count < starts; count++) {
    const daemon = await startDaemon({ lanes: 0 });
    startToReady.push(daemon.readyMs);
    await daemon.stop();
  }
  const idle = await measured({ lanes: 1 }, async (daemon) => {
    const commandLine = [];
    for (let count = 0; count < starts; count++) commandLine.push(await commandMs(daemon, "lanes"));
    await settled();
    const cpu = await idleCpu(daemon, idleSeconds);
    return { commandLine, cpu, memory: memoryOf(daemon) };
  });
  const loaded = await measured({ lanes }, async (daemon) => {
    await settled();
    return { memory: memoryOf(daemon) };
  });
  return {
    startToReadyMs: spread(startToReady),
    commandLineLanesMs: spread(idle.commandLine),
    idleCpuPercent: idle.cpu,
    memoryIdleMb: idle.memory,
    memoryWithLanesMb: { lanes, ...loaded.memory },
  };
}

async function measured(options, measure) {
  const daemon = await startDaemon(options);
  try {
    return await measure(daemon);
  } finally {
    await daemon.stop();
  }
}

/** The stub runtime with the given number of lanes, on a new store. */
async function startDaemon({ lanes }) {
  const directory = mkdtempSync(join(tmpdir(), "waybill-footprint-"));
  const home = join(directory, "home");
  const work = join(directory, "work");
  const config = join(directory, "config.json");
  for (const path of [home, work]) mkdirSync(path, { mode: 0o700 });
  const list = Array.from({ length: lanes }, (_, index) => ({ id: `lane-${index}`, directory: work, script: {} }));
  writeFileSync(config, JSON.stringify({ modelProvider: "stub", lanes: list }));
  const env = { PATH: process.env.PATH, HOME: directory, WAYBILL_HOME: home, WAYBILL_CONFIG: config, PORT: "0" };
  const stopped = new AbortController();
  const url = listeningUrl(home, stopped.signal);
  const began = performance.now();
  const child = spawn(process.execPath, [program, "up"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit");
  const stop = async () => {
    stopped.abort();
    child.kill("SIGTERM");
    await exited;
    rmSync(directory, { recursive: true, force: true });
  };
  const ended = exited.then(() => Promise.reject(new Error(`The daemon ended.\n${output}`)));
  ended.catch(() => {});
  const { port, workerPid } = await Promise.race([url, ended]);
  const ready = await fetch(`http://127.0.0.1:${port}/ready`);
  if (!ready.ok) throw new Error(`/ready answered ${ready.status}.`);
  return { readyMs: performance.now() - began, processes: { supervisor: child.pid, worker: workerPid }, env, stop };
}

/** Waits for `daemon.json` to say where the daemon listens. */
async function listeningUrl(home, signal) {
  const path = join(home, "daemon.json");
  const watcher = watch(home, { signal });
  const read = () => {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      if (error.code === "ENOENT") return {};
      throw error;
    }
  };
  return await new Promise((resolve, reject) => {
    watcher.on("error", reject);
    watcher.on("change", () => {
      const daemon = read();
      if (!daemon.url) return;
      watcher.close();
      resolve(daemon);
    });
  });
}

async function commandMs({ env }, ...args) {
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`waybill ${args.join(" ")} ended with ${code}.`);
  return performance.now() - began;
}

async function idleCpu({ processes }, seconds) {
  const perSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const before = cpuTicks(processes);
  const began = performance.now();
  await wait(seconds * 1000);
  const elapsed = (performance.now() - began) / 1000;
  const after = cpuTicks(processes);
  const percent = (name) => ((after[name] - before[name]) / perSecond / elapsed) * 100;
  const [supervisor, worker] = [percent("supervisor"), percent("worker")];
  return { seconds, supervisor, worker, total: supervisor + worker };
}

function cpuTicks(processes) {
  return mapValues(processes, (pid) => {
    // The program's name, in parentheses, may contain spaces. utime and stime are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
}

/** RSS counts the pages that both processes share (the program `node` itself) twice; PSS counts them once. */
function memoryOf({ processes }) {
  const rss = mapValues(processes, (pid) => kilobytes(`/proc/${pid}/status`, "VmRSS") / 1024);
  const pss = mapValues(processes, (pid) => kilobytes(`/proc/${pid}/smaps_rollup`, "Pss") / 1024);
  return { rss: { ...rss, total: sum(rss) }, pss: { ...pss, total: sum(pss) } };
}

function kilobytes(path, field) {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1]);
}

function spread(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1), samples };
}

function sum(values) {
  return Object.values(values).reduce((total, value) => total + value, 0);
}

function mapValues(values, change) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      idle: { type: "string", default: "60" },
      starts: { type: "string", default: "10" },
      lanes: { type: "string", default: "1000" },
      settle: { type: "string", default: "25" },
    },
  });
  const figures = await run({
    idleSeconds: Number(values.idle),
    starts: Number(values.starts),
    lanes: Number(values.lanes),
    settleSeconds: Number(values.settle),
  });
  const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);
  console.log(JSON.stringify(figures, rounded, 1));
}
