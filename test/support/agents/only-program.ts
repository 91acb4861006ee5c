/** The only agent program that a runtime has recorded for a lane. */
import type { ProcessRecord } from "../../../src/runtimes/process-pool/process-record.ts";
import { readProcessRecords } from "../../../src/runtimes/process-pool/process-record.ts";

export function onlyProgram(records: string, lane: string): ProcessRecord & { pid: number } {
  const all = readProcessRecords(records).filter(({ laneId }) => laneId === lane);
  const [record] = all;
  if (record?.pid == null || all.length > 1) throw new Error(`not one program: ${JSON.stringify(all)}`);
  return { ...record, pid: record.pid };
}
