/**
 * Appending to an inbox file that several processes share, with each row verified and durable; compared with programs that
 * parse the array, add a row and write everything back.
 */
import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { find, quantile, ratio, repeats, rounded, waits } from "./harness/measurement.mjs";
import { inboxRow } from "./parts/inbox-row.mjs";

const everyMs = 200;
const steady = `${1000 / everyMs} rows per second each`;
const busy = "without a pause";

export const about = {
  name: "inbox",
  title: "Inbox files",
  description:
    "The time of one append to a JSON array that processes share. Waybill's is verified (found in the file again) and durable " +
    "(file and directory synced), and compares the file before it replaces it. The other one takes the same lock with Claude " +
    "Code's timeouts (ten tries, 5 to 100 ms apart), parses the array, adds a row and writes everything in place, without syncing " +
    "or verifying it. Rows have about 300 bytes; the file has the given number of rows when a round starts. A writer is a process " +
    `with one append at a time: at a steady pace (${steady}, at random distances), or the next one as soon as the last is done.`,
};

const writerFile = fileURLToPath(new URL("parts/inbox-writer.mjs", import.meta.url));
const subjects = { waybill: "Waybill", bare: "parse, stringify, write" };
/** `appends`: per writer and round. */
const conditions = [
  { writers: 1, everyMs, appends: 12 },
  { writers: 8, everyMs, appends: 10 },
  { writers: 1, everyMs: 0, appends: 40 },
  { writers: 8, everyMs: 0, appends: 10 },
];
const sizes = [1000, 10_000];
const rateChart = `rows per second, 8 writers ${busy}`;

export async function run(context) {
  const measurements = [];
  const rates = [];
  const refusals = [];
  for (const size of context.quick ? [50] : sizes) {
    if (context.only.length > 0 && !context.only.includes(String(size))) continue;
    for (const condition of context.quick ? conditions.map((one) => ({ ...one, appends: 2 })) : conditions) {
      const label = labelOf(condition);
      const found = await measured(context, { size, ...condition });
      for (const [kind, { samples, rowsASecond, refused }] of Object.entries(found)) {
        measurements.push(withP95(waits(chartOf(size), subjects[kind], label, "ms", samples)));
        if (label === labelOf({ writers: 8, everyMs: 0 })) {
          rates.push(repeats(rateChart, subjects[kind], `${size.toLocaleString("en")} rows`, "rows/s", rowsASecond));
        }
        if (refused > 0) refusals.push(`${refused} times for ${samples.length} rows (${size} rows, ${label})`);
      }
    }
  }
  const notes = [
    "Without a pause, the last owner of the lock has the best chance to get it again: the median says little about waiting writers.",
    `The other program was refused the lock after ten tries, which it would report as an error: ${refusals.join("; ") || "never"}.`,
  ];
  return { measurements: [...measurements, ...rates], ratios: ratiosOf(measurements), notes };
}

async function measured(context, condition) {
  const rounds = context.quick ? 1 : 3;
  const found = {};
  for (let round = 1; round <= rounds; round++) {
    context.progress(`${condition.size} rows, ${labelOf(condition)}, round ${round} of ${rounds}`);
    // In turn within each round, so that a temporarily slow machine affects both.
    for (const kind of Object.keys(subjects)) {
      const { samples, refused, seconds } = await oneRound(context, { kind, ...condition });
      found[kind] ??= { samples: [], rowsASecond: [], refused: 0 };
      found[kind].samples.push(...samples);
      found[kind].rowsASecond.push(samples.length / seconds);
      found[kind].refused += refused;
    }
  }
  return found;
}

function chartOf(size) {
  return `one append to an inbox of ${size.toLocaleString("en")} rows`;
}

function labelOf({ writers, everyMs }) {
  return `${writers} ${writers === 1 ? "writer" : "writers"}, ${everyMs > 0 ? steady : busy}`;
}

function withP95(measurement) {
  const sorted = measurement.samples.toSorted((one, other) => one - other);
  return { ...measurement, p95: rounded(quantile(sorted, 0.95)) };
}

async function oneRound(context, { kind, size, writers, everyMs, appends }) {
  const path = context.file("inbox.json");
  writeFileSync(path, inboxOf(size));
  const warmUp = inboxOf(Math.min(size, 1000));
  const children = Array.from({ length: writers }, (_, index) => {
    const warmUpPath = context.file(`warm-up-${index}.json`);
    writeFileSync(warmUpPath, warmUp);
    return startWriter({ path, warmUpPath, kind, rows: appends, everyMs });
  });
  await Promise.all(children.map(({ next }) => next()));
  const started = performance.now();
  const results = await Promise.all(children.map(({ go }) => go()));
  const seconds = (performance.now() - started) / 1000;
  const written = JSON.parse(readFileSync(path, "utf8")).length - size;
  if (written !== writers * appends) throw new Error(`Only ${written} of ${writers * appends} rows were written.`);
  return {
    samples: results.flatMap(({ samples }) => samples),
    refused: results.reduce((sum, { refused }) => sum + refused, 0),
    seconds,
  };
}

function inboxOf(rows) {
  return JSON.stringify(Array.from({ length: rows }, inboxRow), null, 2);
}

function startWriter(orders) {
  const child = fork(writerFile, [JSON.stringify(orders)]);
  const next = () =>
    new Promise((resolve, reject) => {
      const failed = (code) => reject(new Error(`A writer exited with ${code}.`));
      child.once("exit", failed);
      child.once("message", (message) => {
        child.removeListener("exit", failed);
        resolve(message);
      });
    });
  const go = () => {
    const answer = next();
    child.send("go");
    return answer;
  };
  return { next, go };
}

function ratiosOf(measurements) {
  const of = (size, kind, label) => find(measurements, chartOf(size), subjects[kind], label);
  const labels = conditions.map(labelOf);
  const compared = sizes.flatMap((size) =>
    labels.map((label) => {
      const name = `${subjects.bare} over Waybill, ${size.toLocaleString("en")} rows, ${label}`;
      return ratio(name, of(size, "bare", label), of(size, "waybill", label));
    }),
  );
  const grown = labels.map((label) =>
    ratio(`ten times as many rows, ${label}`, of(sizes[1], "waybill", label), of(sizes[0], "waybill", label)),
  );
  return [...compared, ...grown];
}
