/**
 * Adopts the server that an earlier run of Waybill started, if it works and matches the one that would be started now.
 * Otherwise ends it and everything it started, and waits for that. Must finish before anything is observed.
 */

import { processTable } from "../../process/process-table.ts";
import { endProcessTree, treeLeader } from "../../process/process-tree.ts";
import type { OwnServer } from "./server-process.ts";
import { answersAsOurs } from "./server-process.ts";
import type { ServerRecord } from "./server-record.ts";
import { isNonceOf, readServerRecord, removeServerRecord, writeServerRecord } from "./server-record.ts";
import type { ServerTimes } from "./server-times.ts";

export type AdoptOptions = { directory: string; times: ServerTimes; signal: AbortSignal };

export type ExpectedServer = { fingerprint: string; version: string };

/** `expectedServer` resolves to null if any server is acceptable. */
export async function adoptRecordedServer(
  { directory, times, signal }: AdoptOptions,
  expectedServer: () => Promise<ExpectedServer | null>,
): Promise<OwnServer | null> {
  const { probeMs, endMs } = times;
  const record = readServerRecord(directory);
  if (record === null) {
    await endUnrecorded(directory, endMs);
    return null;
  }
  const expected = await expectedServer();
  const answer = () => answersAsOurs(record, probeMs, signal);
  const isSameStart = expected === null || expected.fingerprint === record.fingerprint;
  const version = isSameStart ? ((await answer()) ?? (await answer())) : null;
  const isSameVersion = expected === null || expected.version === version;
  const known = await withProcess(record, version !== null);
  if (version !== null && isSameVersion && known.pid !== null) {
    writeServerRecord(directory, known);
    return { record: known, child: null, version };
  }
  await endProcessTree(record, endMs);
  removeServerRecord(directory);
  return null;
}

/** Without a readable record, ends everything that was started from this directory. */
async function endUnrecorded(directory: string, endMs: number): Promise<void> {
  const nonces = (await processTable()).map((row) => row.nonce).filter((nonce) => nonce !== null);
  for (const nonce of new Set(nonces.filter((one) => isNonceOf(directory, one)))) {
    await endProcessTree({ nonce, pid: null, processStart: null }, endMs);
  }
}

/** The record with the process that is proven to be the server, or with no process. */
async function withProcess(record: ServerRecord, answers: boolean): Promise<ServerRecord> {
  const table = await processTable();
  // If environments cannot be read, a server that knows our secret is found by its command line.
  const isOurs = answers && record.passwordIsRandom && record.processStart === null;
  const command = new RegExp(` serve .*--port ${record.port}( |$)`);
  const found =
    treeLeader(record, table) ??
    (isOurs ? table.find((row) => row.group === row.pid && command.test(row.command)) : null);
  return { ...record, pid: found?.pid ?? null, processStart: found?.start ?? null };
}
