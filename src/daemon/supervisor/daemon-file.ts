/**
 * `daemon.json` in Waybill's home, through which the CLI finds the running daemon. It is a hint, not a lock:
 * `daemon.lock` decides which daemon runs.
 */
import { readFileSync, rmSync } from "node:fs";
import { daemonFilePath } from "../../platform/home.ts";
import { writeWholeFile } from "../../platform/whole-file.ts";

export type DaemonFile = {
  supervisorPid: number;
  /** Null while no worker runs, for example between a crash and the next start. */
  workerPid: number | null;
  /** These are null until the worker listens. */
  url: string | null;
  port: number | null;
  /** Also null if OpenCode's API has no port of its own. */
  opencodeApiUrl: string | null;
  runId: string | null;
  startedAt: number;
  version: string;
};

export function writeDaemonFile(home: string, content: DaemonFile): void {
  writeWholeFile(daemonFilePath(home), `${JSON.stringify(content)}\n`);
}

/** Null if the file is missing or invalid. */
export function readDaemonFile(home: string): DaemonFile | null {
  try {
    const content: unknown = JSON.parse(readFileSync(daemonFilePath(home), "utf8"));
    // Older versions do not write this address.
    return isDaemonFile(content) ? { ...content, opencodeApiUrl: content.opencodeApiUrl ?? null } : null;
  } catch {
    return null;
  }
}

export function removeDaemonFile(home: string): void {
  rmSync(daemonFilePath(home), { force: true });
}

/** Validated by hand: the supervisor stays small without a schema library. */
function isDaemonFile(value: unknown): value is DaemonFile {
  const fields = Object(value) as Record<string, unknown>;
  const { supervisorPid, workerPid, url, port, opencodeApiUrl = null, runId, startedAt, version } = fields;
  return (
    isPid(supervisorPid) &&
    (workerPid === null || isPid(workerPid)) &&
    (url === null || typeof url === "string") &&
    (port === null || Number.isInteger(port)) &&
    (opencodeApiUrl === null || typeof opencodeApiUrl === "string") &&
    (runId === null || typeof runId === "string") &&
    typeof startedAt === "number" &&
    typeof version === "string"
  );
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
