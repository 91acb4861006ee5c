/** Whether the process that leads a session's team still runs, and is not another one with the same id. */
import { readFileSync } from "node:fs";
import type { LeadProcess } from "../../core/inbox/team-config.ts";

export function isRunning({ pid, start }: LeadProcess): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = start === null ? null : startOf(pid);
  return now === null || now === start;
}

/** In clock ticks since boot, from Linux's /proc; null elsewhere. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain spaces; the start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
