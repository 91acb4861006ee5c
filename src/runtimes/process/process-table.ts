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
  const stat = readIfAllowed(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may contain anything, including parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  if (state === "Z" || state === "X") return null;
  const environment = readIfAllowed(`/proc/${pid}/environ`)?.split("\0") ?? [];
  const carried = environment.find((entry) => entry.startsWith(`${nonceVariable}=`));
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    // Counted in ticks since boot, so it is only unique together with the boot id.
    start: `${bootId()}:${fields[19]}`,
    nonce: carried?.slice(nonceVariable.length + 1) ?? null,
    command: readIfAllowed(`/proc/${pid}/cmdline`)?.split("\0").join(" ").trim() ?? "",
  };
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
