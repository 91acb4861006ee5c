/**
 * Lives a second: from the admission of a message to its closed delivery, with the real engine and store and an agent in
 * memory that answers at once; beside what SQLite alone needs for the same rows, pg-boss and BullMQ.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { find, ratio, repeats } from "./harness/measurement.mjs";
import { PeerMissing } from "./harness/peers.mjs";
import { startBullmq } from "./parts/bullmq.mjs";
import { startMemoryWaybill } from "./parts/memory-waybill.mjs";
import { startPgBoss } from "./parts/pg-boss.mjs";
import { bytesOf, recordWrites, repeatStatements, writePlainRows } from "./parts/write-log.mjs";

export const about = {
  name: "ledger",
  title: "Lives a second",
  description:
    "One sender and one agent a lane; a life is admission, prompt, acceptance, proof, answer and closed turn, each durable " +
    "(SQLite in WAL mode with synchronous=FULL on a real file). A life of pg-boss is send, fetch and complete, one job " +
    "at a time, with as many senders and workers as there are lanes (PostgreSQL's own defaults); of BullMQ it is add, process and complete (appendfsync " +
    "always). The limit is what SQLite alone needs: the recorded statements of such a run, written again in the same " +
    "transactions on the same tables without any code around them; and as many rows with as many bytes in one table " +
    "without indexes.",
};

const chart = "lives a second";
const text = "Please make the change that the issue describes, run its tests, and say in a sentence what you did.";
const subjects = {
  waybill: "Waybill",
  statements: "limit: same statements",
  plain: "limit: plain rows",
  pgBoss: "pg-boss",
  bullmq: "BullMQ",
};

/** Messages of one round, by lanes; five rounds make 20,000, but for one lane, where each life waits for the one before. */
const rounds = [
  { lanes: 1, messages: 400 },
  { lanes: 100, messages: 4000 },
  { lanes: 1000, messages: 4000 },
];
const quickRounds = [{ lanes: 10, messages: 100 }];

export async function run(context) {
  const measurements = [];
  const notes = ["With one lane, 2,000 messages instead of 20,000, since each life waits for the one before it."];
  const facts = {};
  const plan = (context.quick ? quickRounds : rounds).filter(
    ({ lanes }) => context.only.length === 0 || context.only.includes(String(lanes)),
  );
  for (const { lanes, messages } of plan) {
    const condition = `${lanes} ${lanes === 1 ? "lane" : "lanes"}`;
    const add = (subject, samples) => measurements.push(repeats(chart, subject, condition, "lives/s", samples));
    context.progress(`Waybill, ${condition}`);
    add(subjects.waybill, await waybillLives({ context, lanes, messages }));
    context.progress(`SQLite alone, ${condition}`);
    const limit = await limits({ context, lanes, messages: Math.min(messages, 2000) });
    add(subjects.statements, limit.statements);
    add(subjects.plain, limit.plain);
    facts[condition] = limit.written;
    for (const [subject, start] of [
      [subjects.pgBoss, startPgBoss],
      [subjects.bullmq, startBullmq],
    ]) {
      if (!context.peers) continue;
      context.progress(`${subject}, ${condition}`);
      try {
        add(subject, await peerLives(start, { context, lanes, messages: Math.ceil(messages / 2) }));
      } catch (error) {
        if (!(error instanceof PeerMissing)) throw error;
        notes.push(`${subject} was not measured: ${error.message}`);
      }
    }
  }
  for (const [condition, { transactions, statements, bytes }] of Object.entries(facts)) {
    notes.push(`${condition}: a life writes ${statements} rows with ${bytes} bytes in ${transactions} transactions.`);
  }
  return { measurements, ratios: ratiosOf(measurements), notes };
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
  try {
    await sendAll(waybill, { lanes, messages: Math.max(lanes, Math.ceil(messages / 4)), round: "warm" });
    const samples = [];
    for (let round = 0; round < context.repeats; round++) {
      const took = await timed(() => sendAll(waybill, { lanes, messages, round }));
      samples.push((messages / took) * 1000);
    }
    if (waybill.errors.length > 0) throw new Error("Waybill reported an error", { cause: waybill.errors[0] });
    return samples;
  } finally {
    await waybill.close();
  }
}

/** One sender a lane, which waits for each admission. */
async function sendAll(waybill, { lanes, messages, round }) {
  const sender = async (lane) => {
    const closed = [];
    for (let index = lane; index < messages; index += lanes) {
      const id = `message-${round}-${index}`;
      closed.push(waybill.closed(id));
      await waybill.admit(id, lane, text);
    }
    await Promise.all(closed);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => sender(lane)));
}

async function limits({ context, lanes, messages }) {
  const path = context.file("recorded.db");
  const empty = context.file("before.db");
  const recorder = recordWrites();
  const waybill = await startMemoryWaybill({ path, lanes });
  let transactions;
  try {
    await sendAll(waybill, { lanes, messages: lanes, round: "warm" });
    await waybill.engine.store.backup(empty);
    recorder.clear();
    await sendAll(waybill, { lanes, messages, round: 0 });
  } finally {
    transactions = recorder.stop();
    await waybill.close();
  }
  const [statements, plain] = [[], []];
  for (let round = 0; round <= context.repeats; round++) {
    const copy = context.file("limit.db");
    copyFileSync(empty, copy);
    const lives = [repeatStatements(copy, transactions), writePlainRows(context.file("plain.db"), transactions)];
    // The first is the warm-up.
    if (round > 0)
      for (const [index, took] of lives.entries()) [statements, plain][index].push((messages / took) * 1000);
  }
  const writes = transactions.flat();
  const written = {
    transactions: Number((transactions.length / messages).toPrecision(2)),
    statements: Math.round(writes.length / messages),
    bytes: Math.round(bytesOf(writes.map(({ values }) => values)) / messages),
  };
  return { statements, plain, written };
}

async function peerLives(start, { context, lanes, messages }) {
  const peer = await start({ directory: join(context.directory, "peer"), progress: context.progress });
  try {
    await (await peer.lives({ lanes, messages: Math.max(lanes, Math.ceil(messages / 4)), text }))?.();
    const samples = [];
    for (let round = 0; round < context.repeats; round++) {
      let clean;
      const took = await timed(async () => {
        clean = await peer.lives({ lanes, messages, text });
      });
      await clean?.();
      samples.push((messages / took) * 1000);
    }
    return samples;
  } finally {
    await peer.stop();
  }
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
