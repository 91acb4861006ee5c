/**
 * What becomes of the server that an earlier run of Waybill started: it is taken over if it works and is the one that
 * would be started now, else ended with all that it started, and waited for. Only then may anything be observed.
 */

import { processTable } from "../../process/process-table.ts";
import { endProcessTree, treeLeader } from "../../process/process-tree.ts";
import type { OwnServer } from "./server-process.ts";
import { answersAsOurs } from "./server-process.ts";
import type { ServerRecord } from "./server-record.ts";
import { isNonceOf, readServerRecord, removeServerRecord, writeServerRecord } from "./server-record.ts";

export type RecoverOptions = {
  directory: string;
  /** The fingerprint of the server that would be started now; null: any will do. */
  wanted: string | null;
  /** How long each of its two chances to answer is. */
  probeMs: number;
  endMs: number;
  signal: AbortSignal;
};

/** Without a record that could be read: whatever was started from this directory is ended. */
export async function endStrays(directory: string, endMs: number): Promise<void> {
  const nonces = (await processTable()).map((row) => row.nonce).filter((nonce) => nonce !== null);
  for (const nonce of new Set(nonces.filter((one) => isNonceOf(directory, one)))) {
    await endProcessTree({ nonce, pid: null, processStart: null }, endMs);
  }
}

export async function recoverServer(options: RecoverOptions): Promise<OwnServer | null> {
  const record = readServerRecord(options.directory);
  if (record === null) return null;
  const isWanted = options.wanted === null || options.wanted === record.fingerprint;
  const version = isWanted ? await answer(record, options) : null;
  const known = await withProcess(record, version !== null);
  if (version !== null && known.pid !== null) {
    writeServerRecord(options.directory, known);
    return { record: known, child: null, version };
  }
  await endProcessTree(record, options.endMs);
  removeServerRecord(options.directory);
  return null;
}

async function answer(record: ServerRecord, { probeMs, signal }: RecoverOptions): Promise<string | null> {
  return (await answersAsOurs(record, probeMs, signal)) ?? (await answersAsOurs(record, probeMs, signal));
}

/** The record with the process that is proven to be the server's, or with none. */
async function withProcess(record: ServerRecord, answers: boolean): Promise<ServerRecord> {
  const table = await processTable();
  const leader = treeLeader(record, table);
  // Where environments cannot be read, a server that knows a secret of ours is found by what it was told to do.
  const isOurs = answers && record.passwordIsRandom && record.processStart === null;
  const serves = new RegExp(` serve .*--port ${record.port}( |$)`);
  const found = leader ?? (isOurs ? table.find((row) => row.group === row.pid && serves.test(row.command)) : null);
  return { ...record, pid: found?.pid ?? null, processStart: found?.start ?? null };
}
