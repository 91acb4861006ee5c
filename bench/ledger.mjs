/**
 * Deliveries per second: from the admission of a message to its closed delivery, with the real engine and store and an in-memory
 * agent that answers immediately; compared with SQLite alone for the same rows, pg-boss and BullMQ.
 */
import { copyFileSync } from "node:fs";
import { find, ratio, repeats } from "./harness/measurement.mjs";
import { PeerMissing } from "./harness/peers.mjs";
import { startBullmq } from "./parts/bullmq.mjs";
import { startMemoryWaybill } from "./parts/memory-waybill.mjs";
import { copyStore } from "./parts/modules.mjs";
import { startPgBoss } from "./parts/pg-boss.mjs";
import { bytesOf, recordWrites, repeatStatements, writePlainRows } from "./parts/write-log.mjs";

export const about = {
  name: "ledger",
  title: "Deliveries per second",
  description:
    "One sender and one agent per lane. A delivery is admission, prompt, acceptance, proof, answer and closed turn, each durable " +
    "(SQLite in WAL mode with synchronous=FULL on a real file). For pg-boss it is send, fetch and complete, one job at a time, " +
    "with as many senders and workers as there are lanes (PostgreSQL's own defaults); for BullMQ it is add, process and " +
    "complete (appendfsync always). There are two limits: what SQLite alone does with the recorded statements of such a run, in " +
    "the same transactions on the same tables; and with as many rows and bytes in one table without indexes.",
};

const chart = "deliveries per second";
const text = "Please make the change that the issue describes, run its tests, and say in a sentence what you did.";
const subjects = {
  waybill: "Waybill",
  statements: "limit: same statements",
  plain: "limit: plain rows",
  pgBoss: "pg-boss",
  bullmq: "BullMQ",
};

/** Messages per round, by lanes. Five rounds make 20,000, except with one lane, where each delivery waits for the last one. */
const rounds = [
  { lanes: 1, messages: 400 },
  { lanes: 100, messages: 4000 },
  { lanes: 1000, messages: 4000 },
];
const quickRounds = [{ lanes: 10, messages: 40 }];

export async function run(context) {
  const measurements = [];
  const notes = ["With one lane, 2,000 messages instead of 20,000, since each delivery waits for the one before it."];
  const plan = (context.quick ? quickRounds : rounds).filter(
    ({ lanes }) => context.only.length === 0 || context.only.includes(String(lanes)),
  );
  for (const { lanes, messages } of plan) {
    const condition = `${lanes} ${lanes === 1 ? "lane" : "lanes"}`;
    context.progress(`recording what Waybill writes, ${condition}`);
    const recording = await recorded({ context, lanes, messages: Math.min(messages, 2000) });
    notes.push(`${condition}: a delivery writes ${describeWrites(recording)}.`);
    const all = await startAll({ context, lanes, messages, recording, notes });
    try {
      for (let round = 0; round <= context.repeats; round++) {
        context.progress(`${condition}, ${round === 0 ? "warm-up" : `round ${round} of ${context.repeats}`}`);
        // In turn within each round, so that a temporarily slow machine affects all of them.
        for (const one of all) one.samples.push(await one.lives());
      }
    } finally {
      for (const { stop } of all) await stop();
    }
    for (const { subject, samples } of all) {
      measurements.push(repeats(chart, subject, condition, "deliveries/s", samples.slice(1)));
    }
  }
  return { measurements, ratios: ratiosOf(measurements), notes };
}

/** The others' rounds are shorter: they only show a rate, and build up no history. */
function peerMessages(messages) {
  return Math.min(messages, 1000);
}

/** Each has `lives`, which runs one round and returns the deliveries per second. */
async function startAll({ context, lanes, messages, recording, notes }) {
  const all = [await waybillLives({ context, lanes, messages }), ...limits(context, recording)];
  if (!context.peers) return all;
  for (const [subject, start] of [
    [subjects.pgBoss, startPgBoss],
    [subjects.bullmq, startBullmq],
  ]) {
    try {
      all.push(await peerLives(subject, start, { context, lanes, messages: peerMessages(messages) }));
    } catch (error) {
      if (!(error instanceof PeerMissing)) throw error;
      notes.push(`${subject} was not measured: ${error.message}`);
    }
  }
  return all;
}

function ratiosOf(measurements) {
  return [...new Set(measurements.map(({ condition }) => condition))].flatMap((condition) => {
    const of = (subject) => find(measurements, chart, subject, condition);
    const others = [subjects.statements, subjects.plain, subjects.pgBoss, subjects.bullmq];
    return others.map((other) => ratio(`Waybill over ${other}, ${condition}`, of(subjects.waybill), of(other)));
  });
}

async function waybillLives({ context, lanes, messages }) {
  const waybill = await startMemoryWaybill({ path: context.file("ledger.db"), lanes });
  let round = 0;
  const lives = async () => {
    const first = round * messages;
    round += 1;
    const rate = await ratePerSecond(messages, () => sendAll(waybill, { lanes, messages, first }));
    if (waybill.errors.length > 0) throw new Error("Waybill reported an error", { cause: waybill.errors[0] });
    return rate;
  };
  return { subject: subjects.waybill, samples: [], lives, stop: () => waybill.close() };
}

/** One sender per lane, which waits for each admission. Ends when everything about these lives is durable. */
async function sendAll(waybill, { lanes, messages, first }) {
  const sender = async (lane) => {
    const closed = [];
    for (let index = lane; index < messages; index += lanes) {
      const id = `message-${first + index}`;
      closed.push(waybill.closed(id));
      await waybill.admit(id, lane, text);
    }
    await Promise.all(closed);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => sender(lane)));
  await waybill.recorded(first + messages);
}

/** The store before some lives, and what those lives wrote. */
async function recorded({ context, lanes, messages }) {
  const before = context.file("before.db");
  const path = context.file("recorded.db");
  const recorder = recordWrites();
  const waybill = await startMemoryWaybill({ path, lanes });
  let transactions;
  try {
    // After this, each lane has its session.
    await sendAll(waybill, { lanes, messages: lanes, first: 0 });
    await copyStore(path, before);
    recorder.clear();
    await sendAll(waybill, { lanes, messages, first: lanes });
  } finally {
    transactions = recorder.stop();
    await waybill.close();
  }
  return { before, transactions, messages };
}

function describeWrites({ transactions, messages }) {
  const writes = transactions.flat();
  const bytes = Math.round(bytesOf(writes.map(({ values }) => values)) / messages);
  const commits = Number((transactions.length / messages).toPrecision(2));
  return `${Math.round(writes.length / messages)} rows with ${bytes} bytes in ${commits} transactions`;
}

function limits(context, { before, transactions, messages }) {
  const statements = () => {
    const path = context.file("limit.db");
    copyFileSync(before, path);
    return repeatStatements(path, transactions);
  };
  const plain = () => writePlainRows(context.file("plain.db"), transactions);
  return [
    [subjects.statements, statements],
    [subjects.plain, plain],
  ].map(([subject, write]) => ({
    subject,
    samples: [],
    lives: async () => (messages / write()) * 1000,
    stop: async () => {},
  }));
}

async function peerLives(subject, start, { context, lanes, messages }) {
  const peer = await start({ directory: context.file(`peer-${subject}`), progress: context.progress });
  const lives = async () => {
    let clean;
    const rate = await ratePerSecond(messages, async () => {
      clean = await peer.lives({ lanes, messages, text });
    });
    await clean?.();
    return rate;
  };
  return { subject, samples: [], lives, stop: peer.stop };
}

async function ratePerSecond(count, work) {
  const started = performance.now();
  await work();
  return (count * 1000) / (performance.now() - started);
}
