/**
 * One reconcile of a running turn in OpenCode sessions of different lengths: the courier reads the transcript, and the
 * core decides. The messages before the turn are created with `noReply`, so that no model is called.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpencodeClient } from "@opencode-ai/sdk";
import { describeVersions } from "./harness/machine.mjs";
import { find, ratio, repeats } from "./harness/measurement.mjs";
import { peersDirectory } from "./harness/peers.mjs";
import { headers, startOpencodeServer } from "./parts/opencode-server.mjs";
import { opencodeRuntime, startAgentWaybill, startModel } from "./parts/scripted-agents.mjs";

export const about = {
  name: "long-sessions",
  title: "Reconcile in long sessions",
  description:
    "The time that one reconcile of a running turn takes in a session of the real OpenCode server, by the number of " +
    "messages that were in the session before the turn.",
};

const chart = "one reconcile";
const subject = "OpenCode";

export async function run(context) {
  const lengths = (context.quick ? [10, 20] : [100, 1000, 10_000]).filter(
    (length) => context.only.length === 0 || context.only.includes(String(length)),
  );
  const made = await madeSessions(lengths, context);
  cpSync(join(made.directory, "opencode-home"), join(context.directory, "opencode-home"), { recursive: true });
  // The turns run until the server is stopped.
  const model = await startModel([{ waitMs: 3_600_000 }]);
  const { directory } = context;
  const server = await startOpencodeServer({ directory, work: join(made.directory, "work"), modelUrl: model.url });
  try {
    const measurements = [];
    for (const length of lengths) {
      const condition = `${length} messages`;
      context.progress(`reconciling in ${condition}`);
      const samples = await reconciles({ context, server, model, session: made.sessions[length], length });
      measurements.push(repeats(chart, subject, condition, "ms", samples));
    }
    const of = (length) => find(measurements, chart, subject, `${length} messages`);
    const [shortest, longest] = [lengths[0], lengths.at(-1)];
    const label = `${longest} messages over ${shortest}`;
    return { measurements, ratios: [ratio(label, of(longest), of(shortest))] };
  } finally {
    await server.stop();
    await model.close();
  }
}

/** Creating them takes minutes, so they are kept, and measured in a copy. A quick run creates its own. */
async function madeSessions(lengths, context) {
  const { OpenCode: version } = describeVersions();
  const directory = context.quick
    ? join(context.directory, "made")
    : join(peersDirectory, `opencode-${version}-sessions-of-${lengths.join("-")}`);
  const list = join(directory, "sessions.json");
  if (existsSync(list)) return { directory, sessions: JSON.parse(readFileSync(list, "utf8")) };
  // Left over from an interrupted run.
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const sessions = {};
  const server = await startOpencodeServer({ directory, modelUrl: "http://127.0.0.1:9" });
  try {
    for (const length of lengths) {
      context.progress(`making a session of ${length} messages, once`);
      sessions[length] = await makeSession(server, length, context.progress);
    }
  } finally {
    // So that it writes its data to disk.
    await server.stop("SIGTERM");
  }
  writeFileSync(list, JSON.stringify(sessions));
  return { directory, sessions };
}

async function makeSession(server, length, progress) {
  const client = createOpencodeClient({ baseUrl: server.url, headers, throwOnError: true });
  const query = { directory: server.work };
  const { data: session } = await client.session.create({ query, body: { title: `${length} messages` } });
  let made = 0;
  let toldAt = Date.now();
  const sender = async () => {
    while (made < length) {
      made += 1;
      const parts = [{ type: "text", text: `Note ${made}.` }];
      await client.session.prompt({ query, path: { id: session.id }, body: { noReply: true, parts } });
      if (Date.now() - toldAt < 10_000) continue;
      progress(`${made} of ${length} messages`);
      toldAt = Date.now();
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  return session.id;
}

async function reconciles({ context, server, model, session, length }) {
  const { directory } = context;
  const errors = [];
  const runtime = await opencodeRuntime({ directory, url: server.url, onError: (error) => errors.push(error) });
  const waybill = await startAgentWaybill({ path: context.file("long.db"), runtime, work: server.work });
  try {
    await waybill.engine.store.openSession("lane", session, Date.now());
    const text = `Work in a session of ${length} messages.`;
    const asked = model.asked(text);
    const accepted = waybill.changed(({ status }) => status === "accepted");
    await waybill.admit(`long-${length}`, text);
    await Promise.all([asked, accepted]);
    const samples = [];
    for (let round = -3; round < context.repeats * 4; round++) {
      const started = performance.now();
      await waybill.engine.courier.moveLane("lane", { reconcile: true });
      if (round >= 0) samples.push(performance.now() - started);
    }
    errors.push(...waybill.errors);
    if (errors.length > 0) throw new Error("Waybill reported an error", { cause: errors[0] });
    return samples;
  } finally {
    await waybill.close();
  }
}
