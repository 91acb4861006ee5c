/** The cost of an idle Waybill (bench/footprint.mjs), compared with other servers that drive coding agents. */
import { setTimeout as wait } from "node:timers/promises";
import { run as runFootprint } from "./footprint.mjs";
import { repeats } from "./harness/measurement.mjs";
import { PeerMissing } from "./harness/peers.mjs";
import { startOpencodeServer } from "./parts/opencode-server.mjs";
import { cpuMs, residentMb, treeOf } from "./parts/processes.mjs";
import { startSandboxAgent } from "./parts/sandbox-agent.mjs";

export const about = {
  name: "footprint",
  title: "Footprint",
  description:
    "The built program with scripted agents, seen from outside: from the start of the process until `/ready` answers, the " +
    "resident memory and the idle CPU of supervisor and worker together 25 seconds after the last request, and the " +
    "whole run of a command. For comparison, the same for `opencode serve` and the `sandbox-agent` server, including their " +
    "children, without any session, five seconds after their start.",
};

const nothing = "nothing to do";
const peerIdleSeconds = 15;

export async function run(context) {
  const starts = context.quick ? 1 : 5;
  const idleSeconds = context.quick ? 1 : 60;
  const settleSeconds = context.quick ? 0 : 25;
  context.progress(`Waybill, with an idle time of ${idleSeconds} s`);
  const lanes = context.quick ? 10 : 1000;
  const measurements = ofWaybill(await runFootprint({ idleSeconds, starts, lanes, settleSeconds }));
  const notes = [];
  const { directory, progress } = context;
  const peers = {
    "opencode serve": () =>
      startOpencodeServer({ directory: context.file("opencode"), modelUrl: "http://127.0.0.1:9" }),
    "sandbox-agent": () => startSandboxAgent({ directory, progress }),
  };
  for (const [subject, start] of context.peers ? Object.entries(peers) : []) {
    progress(subject);
    try {
      measurements.push(...(await ofPeer(subject, start, context.quick ? 1 : peerIdleSeconds, Math.min(starts, 3))));
    } catch (error) {
      if (!(error instanceof PeerMissing)) throw error;
      notes.push(`${subject} was not measured: ${error.message}`);
    }
  }
  if (context.peers) notes.push(`The idle CPU of the other servers is that of ${peerIdleSeconds} s.`);
  return { measurements: measurements.sort(byChart), notes };
}

function ofWaybill({ startToReadyMs, commandLineLanesMs, idleCpuPercent, memoryIdleMb, memoryWithLanesMb }) {
  const of = (chart, condition, unit, samples) => repeats(chart, "Waybill", condition, unit, samples);
  return [
    of("start to ready", nothing, "ms", startToReadyMs.samples),
    of("idle CPU", nothing, "%", [idleCpuPercent.total]),
    of("resident memory", nothing, "MB", [memoryIdleMb.rss.total]),
    of("resident memory", `${memoryWithLanesMb.lanes} lanes`, "MB", [memoryWithLanesMb.rss.total]),
    of("command line, `lanes`", nothing, "ms", commandLineLanesMs.samples),
  ];
}

async function ofPeer(subject, start, idleSeconds, starts) {
  const ready = [];
  for (let count = 1; count < starts; count++) {
    const server = await start();
    ready.push(server.readyMs);
    await server.stop();
  }
  const server = await start();
  ready.push(server.readyMs);
  try {
    // Some work of the start is still going on.
    await wait(idleSeconds > 1 ? 5000 : 0);
    const before = cpuMs(treeOf(server.pid));
    await wait(idleSeconds * 1000);
    const tree = treeOf(server.pid);
    const percent = (cpuMs(tree) - before) / (idleSeconds * 10);
    return [
      repeats("start to ready", subject, nothing, "ms", ready),
      repeats("idle CPU", subject, nothing, "%", [percent]),
      repeats("resident memory", subject, nothing, "MB", [residentMb(tree)]),
    ];
  } finally {
    await server.stop();
  }
}

const charts = ["start to ready", "idle CPU", "resident memory", "command line, `lanes`"];

function byChart(one, other) {
  return charts.indexOf(one.chart) - charts.indexOf(other.chart);
}
