/**
 * A process that appends rows to an inbox with the built program, and reports the outcome of each as a line of JSON.
 * Usage: node inbox-writer.mjs PATH NAME COUNT. On a line "restore" it restores missing rows; it exits at the end of
 * its input. With ARCHIVE as a fourth argument it archives read rows instead. WAYBILL_FAIL_POINT kills it.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { missingRows } from "../../build/core/inbox/hand-over.js";
import { rowKey } from "../../build/core/inbox/row.js";
import { failPointFrom } from "../../build/daemon/worker/fail-point.js";
import { archiveRead } from "../../build/transports/inbox-files/file/archive.js";
import { InboxFile } from "../../build/transports/inbox-files/file/inbox-file.js";

const [, , path, name, count, archive] = process.argv;
const failPoint = failPointFrom(process.env.WAYBILL_FAIL_POINT);
const inbox = new InboxFile(path, { failPoint });
/** Synchronous, so that the line gets out even if the process is killed right after. */
const say = (what) => writeSync(1, `${JSON.stringify(what)}\n`);

/** Retries failures, as the sender of a message would. */
async function insist(work) {
  // The lock of a killed process is stale after 10 s; until then the waits for it are brief. A busy machine needs longer.
  const until = performance.now() + 100_000;
  for (;;) {
    const done = await work();
    if (done.outcome !== "failed" || performance.now() > until) return done;
    await pause(50);
  }
}

const written = [];
async function append(number) {
  const id = `${name}-${number}`;
  const row = {
    from: "waybill",
    text: `Row ${number} of ${name}.`,
    timestamp: "2026-01-01T00:00:00.000Z",
    messageId: id,
  };
  const before = written.slice(-20).map(({ row: { messageId } }) => messageId);
  const done = await insist(() => inbox.append(row));
  if (done.outcome === "appended" && done.behind !== null) before.push(done.behind);
  if (done.outcome !== "failed") written.push({ key: id, row, before });
  say({ id, ...done });
}

/** Does what a team's folder does: appends rows again that an older array removed, and reports those that are lost. */
async function restore() {
  const read = await inbox.peek();
  if (read.outcome === "failed") return read;
  const present = read.outcome === "read" ? read.rows.flatMap((row) => rowKey(row) ?? []) : [];
  const { restore: restored, gone } = missingRows(present, written);
  for (const { key, row } of written) {
    const done = restored.includes(key) ? await insist(() => inbox.append(row)) : null;
    if (done?.outcome === "failed") return done;
  }
  return { outcome: "restored", restored, gone };
}

if (archive !== undefined) {
  say(await insist(() => archiveRead(inbox, archive, { overBytes: 0, failPoint })));
} else {
  // One at a time for a while, then several concurrently.
  for (let number = 0; number < count; ) {
    const together = number % 100 < 20 ? 1 : 8;
    await Promise.all(Array.from({ length: Math.min(together, count - number) }, (_, more) => append(number + more)));
    number += together;
  }
  say("done");
  for await (const line of createInterface(process.stdin)) {
    if (line === "restore") say(await insist(restore));
  }
}
