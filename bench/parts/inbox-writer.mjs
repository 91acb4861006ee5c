/**
 * A process that appends rows to an inbox and measures each. It is forked with its arguments as JSON: `path`, `warmUpPath`
 * (its own copy), `kind`, `rows` (how many to append), `everyMs` (0: without a pause). `kind` is `waybill`, or `bare`: the way
 * other programs share such a file, with Claude Code's lock and timeouts.
 */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { lock } from "proper-lockfile";
import { builtModule } from "./built-module.mjs";
import { inboxRow } from "./inbox-row.mjs";

const { path, warmUpPath, kind, rows, everyMs } = JSON.parse(process.argv[2]);
const { InboxFile } = await builtModule("transports/inbox-files/file/inbox-file.js");
let refused = 0;

const open = {
  waybill(file) {
    const inbox = new InboxFile(file, { lockMs: 60_000 });
    return async (row) => {
      const { outcome, error } = await inbox.append(row);
      if (outcome !== "appended") throw new Error(error ?? outcome);
    };
  },
  bare: (file) => async (row) => {
    const release = await takeLock(file);
    try {
      const all = JSON.parse(await readFile(file, "utf8"));
      all.push(row);
      await writeFile(file, JSON.stringify(all, null, 2));
    } finally {
      await release();
    }
  },
}[kind];

/** Such a program would report an error after ten tries; here it continues until it has the lock. */
async function takeLock(file) {
  for (;;) {
    try {
      return await lock(file, { realpath: false, retries: { retries: 10, minTimeout: 5, maxTimeout: 100 } });
    } catch (error) {
      if (error.code !== "ELOCKED") throw error;
      refused++;
    }
  }
}

const warmUps = 20;
const warmUp = open(warmUpPath);
for (let count = 0; count < warmUps; count++) await warmUp(inboxRow());
const append = open(path);
// What a running program knows about its file.
if (kind === "waybill") await new InboxFile(path).read();
else JSON.parse(readFileSync(path, "utf8"));

// It exits with its parent.
process.once("disconnect", () => process.exit());
process.send("ready");
await new Promise((resolve) => process.once("message", resolve));
const samples = [];
for (let count = 0; count < rows; count++) {
  if (everyMs > 0) await pause(everyMs * (0.5 + Math.random()));
  const row = inboxRow();
  const started = performance.now();
  await append(row);
  samples.push(performance.now() - started);
}
process.send({ samples, refused });
process.disconnect();
