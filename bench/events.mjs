/**
 * The cost of events: translating recorded streams into universal events, compared with only parsing the same bytes; and a
 * turn of a scripted agent while one, a hundred and a thousand clients follow it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { find, ratio, repeats } from "./harness/measurement.mjs";
import { startDaemon } from "./parts/daemon.mjs";
import { claudeModules, opencodeModules, TurnTracker } from "./parts/modules.mjs";
import { cpuMs } from "./parts/processes.mjs";

export const about = {
  name: "events",
  title: "Events",
  description:
    "Translation: the recorded streams in test/fixtures go through the runtime's translator and the turn tracker, line by " +
    "line; for comparison, only JSON.parse of the same bytes. Fan-out: a turn of 200 pieces of text on the built program, from " +
    "the request that sends the message until the last client has seen the turn's end; the clients run in a separate process.",
};

const translation = "translation";
const fanOut = "fan-out, a turn";
const fanOutCpu = "fan-out, the daemon's CPU per turn";
const fixtures = fileURLToPath(new URL("../test/fixtures", import.meta.url));

export async function run(context) {
  context.progress("translation");
  const measurements = [
    ...translations("OpenCode", await opencodeStreams(), context),
    ...translations("Claude Code", await claudeStreams(), context),
  ];
  for (const stream of streams) {
    for (const clients of context.quick ? [1, 10] : [1, 100, 1000]) {
      context.progress(`${clients} clients of ${stream.subject}`);
      measurements.push(...(await followed({ context, stream, clients })));
    }
  }
  const of = (subject, condition) => find(measurements, translation, subject, condition);
  const ratios = ["OpenCode", "Claude Code"].map((program) =>
    ratio(`translation over parsing alone, ${program}`, of("translated", program), of("JSON.parse alone", program)),
  );
  return { measurements, ratios };
}

/** Each stream: its lines, and a function that creates a listener, which gets one line after the other. */
async function opencodeStreams() {
  const { OpencodeTranslator } = await opencodeModules();
  return linesOf("opencode", (name) => name.endsWith(".jsonl")).map((lines) => ({
    lines: lines.filter((line) => JSON.parse(line).payload !== undefined),
    listener() {
      const translator = new OpencodeTranslator(() => "ses_1");
      const tracker = new TurnTracker();
      return (line) => {
        const { payload } = JSON.parse(line);
        for (const signal of translator.translate({ ...payload, properties: payload.properties ?? {} }, 1)) {
          tracker.take(signal);
        }
      };
    },
  }));
}

async function claudeStreams() {
  const { ClaudeTranslator } = await claudeModules();
  return linesOf("claude", (name) => name.endsWith(".lines.jsonl")).map((lines) => ({
    lines: lines.filter(isJson),
    listener() {
      const translator = new ClaudeTranslator();
      const tracker = new TurnTracker();
      return (line) => {
        for (const signal of translator.translate(line)) tracker.take({ at: 1, session: "session", ...signal });
      };
    },
  }));
}

function linesOf(folder, isStream) {
  const directory = join(fixtures, folder);
  const names = readdirSync(directory).filter(isStream).sort();
  return names.map((name) => readFileSync(join(directory, name), "utf8").trimEnd().split("\n"));
}

function isJson(line) {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function translations(program, all, context) {
  const megabytes = all.flatMap(({ lines }) => lines).reduce((sum, line) => sum + Buffer.byteLength(line), 0) / 1e6;
  const parse = () => {
    for (const { lines } of all) for (const line of lines) JSON.parse(line);
  };
  const translate = () => {
    for (const { lines, listener } of all) {
      const hear = listener();
      for (const line of lines) hear(line);
    }
  };
  const passes = context.quick ? 1 : 20;
  return [
    ["translated", translate],
    ["JSON.parse alone", parse],
  ].map(([subject, work]) => {
    for (let pass = 0; pass < passes; pass++) work();
    const samples = Array.from({ length: context.repeats }, () => {
      const started = performance.now();
      for (let pass = 0; pass < passes; pass++) work();
      return (passes * megabytes * 1000) / (performance.now() - started);
    });
    return repeats(translation, subject, program, "MB/s", samples);
  });
}

/** Waybill's own stream, and the one for OpenCode's clients. */
const streams = [
  { subject: "Waybill's stream", path: "/v1/stream?types=events", end: "event: turn.ended" },
  { subject: "OpenCode's clients", path: "/opencode/event", end: '"session.idle"' },
];

async function followed({ context, stream, clients }) {
  const steps = Array.from({ length: 200 }, (_, index) => ({ say: `Word number ${index} of many. ` }));
  const lanes = { lane: { stepMs: 0, always: [{ steps }] } };
  const daemon = await startDaemon({ directory: context.file("daemon"), lanes });
  try {
    const watcher = await subscribers(daemon, stream, clients);
    const [took, cpu] = [[], []];
    for (let round = -1; round < context.repeats; round++) {
      const before = cpuMs([daemon.workerPid]);
      const ended = once(watcher, "message");
      const started = performance.now();
      await daemon.send(`message-${round + 1}`, "lane", "Say it.");
      await ended;
      if (round < 0) continue;
      took.push(performance.now() - started);
      cpu.push(cpuMs([daemon.workerPid]) - before);
    }
    watcher.kill();
    const condition = `${clients} ${clients === 1 ? "client" : "clients"}`;
    return [
      repeats(fanOut, stream.subject, condition, "ms", took),
      repeats(fanOutCpu, stream.subject, condition, "ms", cpu),
    ];
  } finally {
    await daemon.stop();
  }
}

async function subscribers(daemon, { path, end }, count) {
  const child = fork(fileURLToPath(new URL("parts/subscribers.mjs", import.meta.url)), [
    String(count),
    `${daemon.url}${path}`,
    daemon.headers.authorization,
    end,
  ]);
  await once(child, "message");
  return child;
}
