/**
 * The record of an agent process, written before its start so that the next run finds the process. Each process has its
 * own file, since one process of a lane may be ending while the next one starts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../../platform/whole-file.ts";
import { jsonIn } from "../json-fields.ts";

const schema = z.object({
  /** Random. It is in the process's environment, so it identifies this start. */
  nonce: z.string(),
  laneId: z.string(),
  sessionId: z.string(),
  /** Null from just before the start until just after it. */
  pid: z.number().int().positive().nullable(),
  /** The start time that the system reports. It distinguishes the process from a later one with the same pid. */
  processStart: z.string().nullable(),
});

export type ProcessRecord = z.output<typeof schema>;

/** The directory with the records of a runtime. */
export function recordsIn(directory: string): string {
  return join(directory, "programs");
}

/** Whether an earlier run left processes behind. They may have ended since. */
export function hasProcessRecords(directory: string): boolean {
  return readProcessRecords(recordsIn(directory)).length > 0;
}

const pathOf = (directory: string, { laneId, nonce }: ProcessRecord) => join(directory, `${laneId}.${nonce}.json`);

export function writeProcessRecord(directory: string, record: ProcessRecord): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeWholeFile(pathOf(directory, record), `${JSON.stringify(record)}\n`);
}

/** Ignores files that are not records of this version. */
export function readProcessRecords(directory: string): ProcessRecord[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => schema.safeParse(jsonIn(readFileSync(join(directory, name), "utf8"))).data)
    .filter((record) => record !== undefined);
}

export function removeProcessRecord(directory: string, record: ProcessRecord): void {
  rmSync(pathOf(directory, record), { force: true });
}
