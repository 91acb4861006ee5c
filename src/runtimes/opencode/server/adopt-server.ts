/**
 * Takes over the server that an earlier run of Waybill started, if it works and is the one that would be started now.
 * Otherwise ends it with all that it started, and waits for that. Nothing may be observed before.
 */

import { processTable } from "../../process/process-table.ts";
import { endProcessTree, treeLeader } from "../../process/process-tree.ts";
import type { OwnServer } from "./server-process.ts";
import { answersAsOurs } from "./server-process.ts";
import type { ServerRecord } from "./server-record.ts";
import { isNonceOf, readServerRecord, removeServerRecord, writeServerRecord } from "./server-record.ts";
import type { ServerTimes } from "./server-times.ts";

export type AdoptOptions = { directory: string; times: ServerTimes; signal: AbortSignal };

/** `expectedFingerprint` is null where any server is acceptable. */
export async function adoptRecordedServer(
  { directory, times, signal }: AdoptOptions,
  expectedFingerprint: () => Promise<string | null>,
): Promise<OwnServer | null> {
  const { probeMs, endMs } = times;
  const record = readServerRecord(directory);
  if (record === null) {
    await endUnrecorded(directory, endMs);
    return null;
  }
  const expected = await expectedFingerprint();
  const answer = () => answersAsOurs(record, probeMs, signal);
  const version = expected === null || expected === record.fingerprint ? ((await answer()) ?? (await answer())) : null;
  const known = await withProcess(record, version !== null);
  if (version !== null && known.pid !== null) {
    writeServerRecord(directory, known);
    return { record: known, child: null, version };
  }
  await endProcessTree(record, endMs);
  removeServerRecord(directory);
  return null;
}

/** Without a readable record, everything that was started from this directory is ended. */
async function endUnrecorded(directory: string, endMs: number): Promise<void> {
  const nonces = (await processTable()).map((row) => row.nonce).filter((nonce) => nonce !== null);
  for (const nonce of new Set(nonces.filter((one) => isNonceOf(directory, one)))) {
    await endProcessTree({ nonce, pid: null, processStart: null }, endMs);
  }
}

/** The record with the process that is proven to be the server's, or with none. */
async function withProcess(record: ServerRecord, answers: boolean): Promise<ServerRecord> {
  const table = await processTable();
  // Where environments cannot be read, a server that knows our secret is found by its command line.
  const isOurs = answers && record.passwordIsRandom && record.processStart === null;
  const command = new RegExp(` serve .*--port ${record.port}( |$)`);
  const found =
    treeLeader(record, table) ??
    (isOurs ? table.find((row) => row.group === row.pid && command.test(row.command)) : null);
  return { ...record, pid: found?.pid ?? null, processStart: found?.start ?? null };
}
