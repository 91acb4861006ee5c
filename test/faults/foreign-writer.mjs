/**
 * Another program that uses an inbox until its input ends: it reads the array, adds a row, and writes the whole array
 * back in place. Then it reports what it did. Usage: node foreign-writer.mjs PATH reader|locked|unlocked. `locked` uses
 * Claude Code's lock and retry times; `unlocked` uses no lock, and pauses between reading and writing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { lock } from "proper-lockfile";

const [, , path, kind] = process.argv;
const report = { ids: [], refusals: 0, invalid: 0, reads: 0 };
let isEnding = false;
process.stdin.on("end", () => (isEnding = true)).resume();

const rowOf = (id) => ({
  from: kind,
  text: "A row of another program.",
  timestamp: "2026-01-01T00:00:00.000Z",
  messageId: id,
});
const writeWith = (rows, id) => writeFileSync(path, JSON.stringify([...rows, rowOf(id)], null, 2));

async function withLock() {
  let release;
  try {
    const retries = { retries: 10, minTimeout: 5, maxTimeout: 100 };
    release = await lock(path, { lockfilePath: `${path}.lock`, realpath: false, retries });
  } catch {
    report.refusals++;
    return;
  }
  try {
    report.reads++;
    const rows = JSON.parse(readFileSync(path, "utf8"));
    if (kind === "reader") return;
    const id = `${kind}-${report.reads}`;
    writeWith(rows, id);
    report.ids.push(id);
  } catch {
    report.invalid++;
  } finally {
    await release();
  }
}

let known = [];
async function withoutLock() {
  report.reads++;
  try {
    known = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Another program is halfway through a write. This one continues with what it knew.
    report.invalid++;
  }
  await pause(3);
  writeWith(known, `${kind}-${report.reads}`);
}

while (!isEnding) {
  await (kind === "unlocked" ? withoutLock() : withLock());
  await pause(5 + Math.random() * 30);
}
process.stdout.write(JSON.stringify(report));
