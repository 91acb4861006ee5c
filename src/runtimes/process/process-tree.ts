/**
 * Which processes belong to a server that Waybill started: the server itself, its process group, what it started, and
 * whoever carries its nonce. (The shells of an agent's tools have groups of their own, and outlive a killed server.)
 * Deciding is pure; a process is only signalled as the one that it was seen to be.
 */
import { AppError } from "../../app-error.ts";
import type { ProcessRow } from "./process-table.ts";
import { processTable, within } from "./process-table.ts";

/** What is written down about a program: see the records of each runtime. */
export type ProcessIdentity = { nonce: string; pid: number | null; processStart: string | null };

/** The server's own process, if it lives. A process that only has its id is not it. */
export function treeLeader(server: ProcessIdentity, table: readonly ProcessRow[]): ProcessRow | null {
  const recorded = table.find((row) => row.pid === server.pid);
  if (recorded && (recorded.nonce === server.nonce || recorded.start === server.processStart)) return recorded;
  if (server.pid !== null) return null;
  // The start was written down, but not the id: of those that carry its nonce the server itself is the oldest.
  const carriers = table.filter((row) => row.nonce === server.nonce);
  return carriers.sort((a, b) => startOf(a) - startOf(b) || a.pid - b.pid)[0] ?? null;
}

const startOf = (row: ProcessRow) => Number(row.start.split(":").at(-1));

/** All of them, without ourselves and those that started us: somebody may run Waybill from an agent's shell. */
export function processTreeOf(server: ProcessIdentity, table: readonly ProcessRow[], self: number): ProcessRow[] {
  const leader = treeLeader(server, table);
  const spared = ancestorsOf(self, table);
  const family = new Set(table.filter((row) => row.nonce === server.nonce || (leader && row.group === leader.pid)));
  if (leader) family.add(leader);
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    const ids = new Set([...family].map((row) => row.pid));
    for (const row of table) if (ids.has(row.parent)) family.add(row);
  }
  return [...family].filter((row) => !spared.has(row.pid));
}

function ancestorsOf(pid: number, table: readonly ProcessRow[]): Set<number> {
  const parents = new Map(table.map((row) => [row.pid, row.parent]));
  const chain = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !chain.has(next); next = parents.get(next)) {
    chain.add(next);
  }
  return chain;
}

/** Asks the server to end, waits, ends it and all that it left behind, and waits until they are gone. */
export async function endProcessTree(server: ProcessIdentity, deadlineMs: number): Promise<void> {
  const family = new Family(server);
  const leader = treeLeader(server, await family.look());
  if (leader) await askToEnd(leader, family, deadlineMs);
  const allGone = async () => {
    const left = await family.look();
    for (const row of left) signal(row.pid, "SIGKILL");
    return left.length === 0;
  };
  if (!(await within(deadlineMs, allGone))) throw stays(await family.look());
}

/** OpenCode takes the first request, while a tool runs, for one to end that tool, and goes on. So it is asked again. */
async function askToEnd(leader: ProcessRow, family: Family, deadlineMs: number): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  const isGone = async () => !(await family.look()).some((row) => row.pid === leader.pid);
  do {
    signal(leader.group === leader.pid ? -leader.pid : leader.pid, "SIGTERM");
  } while (!(await within(Math.min(1000, deadlineMs), isGone)) && performance.now() < deadline);
}

/** Those of a family that live. What was seen once is remembered: with the server gone, nothing may say whose it was. */
class Family {
  readonly #server: ProcessIdentity;
  #seen: ProcessRow[] = [];

  constructor(server: ProcessIdentity) {
    this.#server = server;
  }

  async look(): Promise<ProcessRow[]> {
    const table = await processTable();
    const isSame = (row: ProcessRow) => table.some((now) => now.pid === row.pid && now.start === row.start);
    const rows = [...this.#seen.filter(isSame), ...processTreeOf(this.#server, table, process.pid)];
    this.#seen = [...new Map(rows.map((row) => [row.pid, row])).values()];
    return this.#seen;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended in this moment, or is another user's by now; that one is still there when the time is up.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function stays(family: readonly ProcessRow[]): AppError {
  const ids = family.map((row) => row.pid).join(", ");
  return new AppError({
    code: "agent_stays",
    message: `A program that Waybill started, process ${ids}, does not end.`,
    hint: `Find out what holds it up (\`ps -p ${ids.replaceAll(" ", "")}\`), end it, and start again.`,
  });
}
