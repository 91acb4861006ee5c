/** The processes of this machine, with the facts needed to find and end those that Waybill started. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { nonceVariable } from "./agent-environment.ts";

export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  /** The start time. Together with the pid, which the system reuses, it identifies a process. */
  start: string;
  /** Our nonce in its environment. Also null if the system does not show environments. */
  nonce: string | null;
  command: string;
};

/** Leaves out zombies, which have ended. */
export function processTable(): Promise<ProcessRow[]> {
  return process.platform === "linux" ? Promise.resolve(tableFromProc()) : tableFromPs();
}

/** Cheap enough for polling. */
export function isAlive(pid: number, start: string | null): boolean {
  if (process.platform === "linux") return rowFromProc(pid)?.start === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function tableFromProc(): ProcessRow[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => rowFromProc(Number(name)))
    .filter((row) => row !== null);
}

function rowFromProc(pid: number): ProcessRow | null {
  const found = rowFromStat(readIfAllowed(`/proc/${pid}/stat`) ?? "");
  if (!found) return null;
  const environment = readIfAllowed(`/proc/${pid}/environ`)?.split("\0") ?? [];
  const carried = environment.find((entry) => entry.startsWith(`${nonceVariable}=`));
  return {
    ...found,
    pid,
    // Counted in ticks since boot, so it is only unique together with the boot id.
    start: `${bootId()}:${found.start}`,
    nonce: carried?.slice(nonceVariable.length + 1) ?? null,
    command: readIfAllowed(`/proc/${pid}/cmdline`)?.split("\0").join(" ").trim() ?? "",
  };
}

/**
 * Null if it has ended. A killed process is a zombie as soon as its first thread has ended; until the others have, its
 * files and ports are still open.
 */
export function rowFromStat(stat: string): { parent: number; group: number; start: string } | null {
  // The name in parentheses may contain anything, including parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group] = fields;
  const [threads, , start = ""] = fields.slice(17);
  const hasEnded = state === "" || state === "X" || (state === "Z" && Number(threads) <= 1);
  return hasEnded ? null : { parent: Number(parent), group: Number(group), start };
}

const bootId = () => readIfAllowed("/proc/sys/kernel/random/boot_id")?.trim() ?? "";

/** Null for a process of another user, or one that has just ended. */
function readIfAllowed(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

export async function tableFromPs(): Promise<ProcessRow[]> {
  const columns = ["pid=", "ppid=", "pgid=", "stat=", "lstart=", "args="].flatMap((column) => ["-o", column]);
  const { stdout } = await promisify(execFile)("ps", ["-ax", "-ww", ...columns], {
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split("\n")
    .map(rowFromPs)
    .filter((row) => row !== null);
}

export function rowFromPs(line: string): ProcessRow | null {
  const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line);
  if (!found) return null;
  const [, pid, parent, group, state = "", start = "", command = ""] = found;
  if (state.startsWith("Z")) return null;
  const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
  return { ...ids, start: start.replace(/\s+/g, " "), nonce: null, command };
}

/** The operating system does not report the end of a process that is not our child, so it is polled. */
export async function pollUntil(deadlineMs: number, done: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  while (!(await done())) {
    if (performance.now() >= deadline) return false;
    await wait(50);
  }
  return true;
}
