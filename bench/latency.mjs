/**
 * The latency that Waybill adds around a turn, on the real OpenCode and the real Claude Code with a scripted model: from
 * admission until the model is called, and from the end of the turn until the delivery is `responded`.
 */
import { createOpencodeClient } from "@opencode-ai/sdk";
import { find, rounded, waits } from "./harness/measurement.mjs";
import { isClosed } from "./parts/memory-waybill.mjs";
import { followOpencode, headers, startOpencodeServer } from "./parts/opencode-server.mjs";
import { claudeRuntime, opencodeRuntime, startAgentWaybill, startModel } from "./parts/scripted-agents.mjs";

export const about = {
  name: "latency",
  title: "Latency",
  description:
    "One message after the other in one lane. In OpenCode a prompt has arrived when the server reports it as stored, and a " +
    "turn has ended when it reports the session as idle, both as seen by another client of the server. The direct " +
    "call is `prompt_async` of the official SDK to the same server. In Claude Code a prompt has arrived when the model " +
    "is called, including everything that the program does before, and a turn has ended with its result line.",
};

const toPrompt = "admission to prompt";
const toResponded = "turn's end to responded";
const condition = "one lane";

export async function run(context) {
  const model = await startModel();
  const turns = context.quick ? 3 : 100;
  const measurements = [];
  try {
    const server = await startOpencodeServer({ directory: context.directory, modelUrl: model.url });
    try {
      context.progress("OpenCode, the SDK's direct call");
      const direct = await directPrompts({ server, turns });
      measurements.push(waits(toPrompt, "OpenCode, direct SDK call", condition, "ms", direct));
      context.progress("OpenCode through Waybill");
      measurements.push(...(await onOpencode({ context, server, turns })));
    } finally {
      await server.stop();
    }
    context.progress("Claude Code through Waybill");
    measurements.push(...(await onClaude({ context, model, turns })));
  } finally {
    await model.close();
  }
  const over = (subject) => find(measurements, toPrompt, subject);
  const added = over("OpenCode through Waybill").median - over("OpenCode, direct SDK call").median;
  return {
    measurements,
    differences: [{ label: "Waybill over the direct call, p50", value: rounded(added), unit: "ms" }],
  };
}

async function directPrompts({ server, turns }) {
  const client = createOpencodeClient({ baseUrl: server.url, headers, throwOnError: true });
  const query = { directory: server.work };
  const { data: session } = await client.session.create({ query, body: { title: "direct" } });
  const events = await sessionEvents(server);
  const samples = [];
  for (let turn = -warmUp(turns); turn < turns; turn++) {
    const text = `direct ${turn}.`;
    const [prompted, ended] = [events.prompted(), events.idle()];
    const started = performance.now();
    await client.session.promptAsync({ query, path: { id: session.id }, body: { parts: [{ type: "text", text }] } });
    const took = (await prompted) - started;
    await ended;
    if (turn >= 0) samples.push(took);
  }
  events.stop();
  return samples;
}

async function onOpencode({ context, server, turns }) {
  const { directory } = context;
  const runtime = await opencodeRuntime({ directory, url: server.url, onError: throwIt });
  const waybill = await startAgentWaybill({ path: context.file("opencode.db"), runtime, work: server.work });
  const events = await sessionEvents(server);
  try {
    const arrives = () => events.prompted();
    const ends = () => events.idle();
    return measurementsOf("OpenCode through Waybill", await measured({ waybill, turns, arrives, ends }));
  } finally {
    events.stop();
    await waybill.close();
  }
}

async function onClaude({ context, model, turns }) {
  const { directory } = context;
  const runtime = await claudeRuntime({ directory, modelUrl: model.url, onError: throwIt });
  const waybill = await startAgentWaybill({ path: context.file("claude.db"), runtime, work: directory });
  const ended = new Set();
  const unsubscribe = runtime.onSignal((_lane, { type }) => {
    if (type !== "rest") return;
    for (const resolve of ended) resolve(performance.now());
    ended.clear();
  });
  try {
    const ends = () => new Promise((resolve) => ended.add(resolve));
    return measurementsOf(
      "Claude Code through Waybill",
      await measured({ waybill, turns, arrives: model.asked, ends }),
    );
  } finally {
    unsubscribe();
    await waybill.close();
  }
}

async function measured({ waybill, turns, arrives, ends }) {
  const [prompts, proofs] = [[], []];
  for (let turn = -warmUp(turns); turn < turns; turn++) {
    const id = `turn-${turn + warmUp(turns)}`;
    const text = `message ${turn}.`;
    const [arrived, ended] = [arrives(text), ends()];
    const responded = waybill.changed((record) => record.messageId === id && record.status === "responded");
    const closed = waybill.changed((record) => record.messageId === id && isClosed(record));
    const started = performance.now();
    await waybill.admit(id, text);
    const [arrivedAt, endedAt, respondedAt] = await Promise.all([arrived, ended, responded]);
    await closed;
    if (waybill.errors.length > 0) throw new Error("Waybill reported an error", { cause: waybill.errors[0] });
    if (turn < 0) continue;
    prompts.push(arrivedAt - started);
    // The proof may be read before the event for the turn's end arrives here.
    proofs.push(Math.max(0, respondedAt - endedAt));
  }
  return { prompts, proofs };
}

function measurementsOf(subject, { prompts, proofs }) {
  return [waits(toPrompt, subject, condition, "ms", prompts), waits(toResponded, subject, condition, "ms", proofs)];
}

/** When the server next reports that a new prompt is stored, and that a session is idle. */
async function sessionEvents(server) {
  const stopping = new AbortController();
  const waiting = { prompted: new Set(), idle: new Set() };
  const prompts = new Set();
  const happened = (what) => {
    for (const resolve of waiting[what]) resolve(performance.now());
    waiting[what].clear();
  };
  const onEvent = ({ type, properties }) => {
    if (type === "session.idle") happened("idle");
    const { role, id } = properties?.info ?? {};
    // A stored prompt changes once more when its turn ends.
    if (type !== "message.updated" || role !== "user" || prompts.has(id)) return;
    prompts.add(id);
    happened("prompted");
  };
  await followOpencode(server.url, onEvent, stopping.signal);
  return {
    prompted: () => new Promise((resolve) => waiting.prompted.add(resolve)),
    idle: () => new Promise((resolve) => waiting.idle.add(resolve)),
    stop: () => stopping.abort(),
  };
}

function warmUp(turns) {
  return Math.max(2, Math.ceil(turns / 10));
}

function throwIt(error) {
  throw error;
}
