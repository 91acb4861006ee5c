/**
 * `daemon.json` in Waybill's home: how the command line finds the running daemon. It is a hint, not a lock:
 * `daemon.lock` decides which daemon runs.
 */
import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { daemonFilePath } from "../../home.ts";
import { writeWholeFile } from "../../whole-file.ts";

const pid = z.number().int().positive();

const schema = z.object({
  supervisorPid: pid,
  /** Null while no worker runs, as between a crash and the next start. */
  workerPid: pid.nullable(),
  /** These three are null until the worker listens. */
  url: z.string().nullable(),
  port: z.number().int().nullable(),
  runId: z.string().nullable(),
  startedAt: z.number(),
  version: z.string(),
});

export type DaemonFile = z.output<typeof schema>;

export function writeDaemonFile(home: string, content: DaemonFile): void {
  writeWholeFile(daemonFilePath(home), `${JSON.stringify(content)}\n`);
}

/** Null when the file is missing or invalid. */
export function readDaemonFile(home: string): DaemonFile | null {
  try {
    return schema.safeParse(JSON.parse(readFileSync(daemonFilePath(home), "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

export function removeDaemonFile(home: string): void {
  rmSync(daemonFilePath(home), { force: true });
}
