/**
 * What gets slower with more data: deliveries with ten times as many messages queued in a lane, and every list that people and
 * the daemon query in stores of a hundred thousand and a million deliveries.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ratio, waits } from "./harness/measurement.mjs";
import { peersDirectory } from "./harness/peers.mjs";
import { copyDeliveries, schemaHash } from "./parts/many-deliveries.mjs";
import { startMemoryWaybill } from "./parts/memory-waybill.mjs";
import { openSqliteStore, universalEventTypes } from "./parts/modules.mjs";

export const about = {
  name: "growth",
  title: "Growth",
  description:
    "The same work with ten times as much around it. Queue: the time of one delivery in a lane while others wait behind it. " +
    "History: the queries behind lists, pages and the daemon's own decisions, in a store whose deliveries were copied by SQL " +
    "from a thousand that the program wrote, over ten lanes. That each of them uses an index is a test " +
    "(src/store/sqlite/query-plans.test.ts).",
};

const queueChart = "one delivery in a lane with a queue";
const queryChart = "a query in a store with a long history";
const lanes = 10;
/** The program writes `count` deliveries, which are then copied by SQL; each query runs `times` times. */
const history = { count: 1000, copies: [100, 1000], times: 50 };
const quickHistory = { count: 50, copies: [2, 4], times: 3 };

export async function run(context) {
  const measurements = [];
  for (const queued of context.quick ? [10, 100] : [100, 1000]) {
    const condition = `${queued} queued`;
    context.progress(`a lane with ${condition}`);
    measurements.push(waits(queueChart, "Waybill", condition, "ms", await livesWithQueue(context, queued)));
  }
  const { count, copies, times } = context.quick ? quickHistory : history;
  context.progress(`writing ${count} deliveries`);
  const written = context.file("written.db");
  await writeDeliveries(written, count);
  for (const target of copies) {
    if (context.only.length > 0 && !context.only.includes(String(count * target))) continue;
    const size = `${(count * target).toLocaleString("en")} deliveries`;
    const path = await storeWith(target, { context, written, size });
    context.progress(`asking ${size}`);
    measurements.push(...(await queried(path, size, times)));
  }
  return { measurements, ratios: growthOf(measurements) };
}

/** How much longer each takes with ten times as much data. */
function growthOf(measurements) {
  const queues = measurements.filter(({ chart }) => chart === queueChart);
  const queries = measurements.filter(({ chart }) => chart === queryChart);
  const pairs = [...new Set(queries.map(({ condition }) => condition))].map((query) => [
    query,
    queries.filter(({ condition }) => condition === query),
  ]);
  return [[queueChart, queues], ...pairs].map(([label, [less, more]]) =>
    ratio(`ten times as much: ${label}`, more, less),
  );
}

/** The lane is never empty: a new message follows each delivery that ends. */
async function livesWithQueue(context, queued) {
  const waybill = await startMemoryWaybill({ path: context.file("queue.db"), lanes: 1 });
  try {
    let sent = 0;
    const closedAt = [];
    const send = () => {
      const id = `queued-${sent++}`;
      const closed = waybill.closed(id).then(() => closedAt.push(performance.now()));
      return { admitted: waybill.admit(id, 0, "Wait for your turn."), closed };
    };
    const waiting = Array.from({ length: queued }, send);
    await Promise.all(waiting.map(({ admitted }) => admitted));
    const measured = context.quick ? 10 : 200;
    while (closedAt.length < measured) {
      await waiting.shift().closed;
      waiting.push(send());
    }
    return closedAt.slice(1, measured).map((at, index) => at - closedAt[index]);
  } finally {
    await waybill.close();
  }
}

/** A million of them take minutes to create, so they are kept until the store's tables change. */
async function storeWith(target, { context, written, size }) {
  const directory = context.quick ? context.directory : peersDirectory;
  const path = join(directory, `store-${schemaHash(written)}-${target}-copies.db`);
  if (existsSync(path)) return path;
  context.progress(`making ${size} by SQL, once`);
  const unfinished = `${path}.unfinished`;
  mkdirSync(directory, { recursive: true });
  copyFileSync(written, unfinished);
  await copyDeliveries(unfinished, { from: 1, to: target, progress: context.progress });
  renameSync(unfinished, path);
  return path;
}

async function writeDeliveries(path, count) {
  const waybill = await startMemoryWaybill({ path, lanes });
  const life = async (index) => {
    const closed = waybill.closed(`message-${index}`);
    await waybill.admit(`message-${index}`, index % lanes, `Change rule number ${index}, and run its tests.`);
    await closed;
  };
  await Promise.all(Array.from({ length: count }, (_, index) => life(index)));
  await waybill.close();
}

async function queried(path, size, times) {
  const store = openSqliteStore({ path });
  try {
    const newest = await store.deliveries({ limit: 50 });
    const [{ id, messageId, laneId }] = newest.items;
    const end = store.logEnd();
    const queries = {
      "newest page of deliveries": () => store.deliveries({ limit: 50 }),
      "next page of deliveries": () => store.deliveries({ limit: 50, cursor: newest.next }),
      "page of a lane's deliveries": () => store.deliveries({ limit: 50, laneId }),
      "page of deliveries by status": () => store.deliveries({ limit: 50, statuses: ["responded"] }),
      "deliveries of one message": () => store.deliveries({ limit: 50, messageId }),
      "one delivery": () => store.delivery(id),
      "a delivery by its message": () => store.deliveryOf(laneId, messageId),
      "history of a delivery": () => store.history(id),
      "newest page of messages": () => store.messages({ limit: 50 }),
      "page of a lane's messages": () => store.messages({ limit: 50, lane: laneId }),
      "messages with a rare word": () => store.messages({ limit: 50, query: "number 17" }),
      "a mailbox": () => store.mailOf({ kind: "lane", lane: laneId }, 50),
      "head of a lane": () => store.head(laneId),
      "what holds a lane": () => store.outstanding(laneId),
      "what waits in a lane": () => store.waiting(laneId),
      "lanes with work": () => store.lanesWithWork(),
      "nearest reconcile": () => store.nextReconcileAt(),
      "unrecorded messages": () => store.unrecorded(),
      "end of the log": () => store.readLog({ after: end, limit: 50 }),
      "page of events": () => store.readLog({ types: universalEventTypes, limit: 50 }),
      "count of all deliveries": () => store.counts(),
    };
    const found = [];
    for (const [query, ask] of Object.entries(queries)) {
      found.push(waits(queryChart, size, query, "ms", await asked(ask, times)));
    }
    return found;
  } finally {
    await store.close();
  }
}

/** Slow queries run less often. */
async function asked(ask, times) {
  const warmUps = 2;
  for (let round = 0; round < warmUps; round++) await ask();
  const samples = [];
  const begun = performance.now();
  while (samples.length === 0 || (samples.length < times && performance.now() - begun < 2000)) {
    const started = performance.now();
    await ask();
    samples.push(performance.now() - started);
  }
  return samples;
}
