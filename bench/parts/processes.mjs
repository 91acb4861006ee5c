/** The resources that processes use, including their children, as Linux counts them. */
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second for all programs, whatever the kernel's own clock is. */
const msInATick = 10;

export function treeOf(pid) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    const fields = /^\d+$/.test(name) ? statOf(name) : null;
    if (fields) children.set(fields.parent, [...(children.get(fields.parent) ?? []), Number(name)]);
  }
  const all = [pid];
  for (const one of all) all.push(...(children.get(one) ?? []));
  return all;
}

/** User and system time until now, in milliseconds. */
export function cpuMs(pids) {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0) * msInATick, 0);
}

/** Resident memory in MB. */
export function residentMb(pids) {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

function statOf(pid) {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === "") return null;
  // The command's name is in parentheses and may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** A process may end at any time. */
function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
