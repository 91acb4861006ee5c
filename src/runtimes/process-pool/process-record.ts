/**
 * What is written down about an agent program before it is started, so that the next run finds it whatever happens
 * to this one. A file for each program: a lane may have one that is about to end beside one that begins.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../../whole-file.ts";

const schema = z.object({
  /** Random, and in the program's environment: whoever carries it was started by this start and no other. */
  nonce: z.string(),
  laneId: z.string(),
  sessionId: z.string(),
  /** Null from just before the start until just after it. */
  pid: z.number().int().positive().nullable(),
  /** When that process began, in the words of the system: tells it from a later one with the same id. */
  processStart: z.string().nullable(),
});

export type ProcessRecord = z.output<typeof schema>;

const pathOf = (directory: string, { laneId, nonce }: ProcessRecord) => join(directory, `${laneId}.${nonce}.json`);

export function writeProcessRecord(directory: string, record: ProcessRecord): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeWholeFile(pathOf(directory, record), `${JSON.stringify(record)}\n`);
}

/** Those that can be understood; another one was made by another version of Waybill, or is no record. */
export function readProcessRecords(directory: string): ProcessRecord[] {
  return filesIn(directory)
    .map((name) => schema.safeParse(parsed(join(directory, name))).data)
    .filter((record) => record !== undefined);
}

export function removeProcessRecord(directory: string, record: ProcessRecord): void {
  rmSync(pathOf(directory, record), { force: true });
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
