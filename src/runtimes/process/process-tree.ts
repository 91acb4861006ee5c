/**
 * Finds and ends the processes of a program that Waybill started: its leader, its process group, their descendants, and
 * every process with its nonce. (The shells of an agent's tools have their own groups, and outlive a killed leader.)
 */
import { AppError } from "../../platform/app-error.ts";
import type { ProcessRow } from "./process-table.ts";
import { pollUntil, processTable } from "./process-table.ts";

/** The part of a runtime's record that identifies a process. */
export type ProcessIdentity = { nonce: string; pid: number | null; processStart: string | null };

/** The started process itself, if it is alive. The pid alone does not identify it. */
export function treeLeader(identity: ProcessIdentity, table: readonly ProcessRow[]): ProcessRow | null {
  const recorded = table.find((row) => row.pid === identity.pid);
  if (recorded && (recorded.nonce === identity.nonce || recorded.start === identity.processStart)) return recorded;
  if (identity.pid !== null) return null;
  // The pid was not recorded yet, so take the oldest process with the nonce.
  const carriers = table.filter((row) => row.nonce === identity.nonce);
  return carriers.sort((a, b) => startOf(a) - startOf(b) || a.pid - b.pid)[0] ?? null;
}

const startOf = (row: ProcessRow) => Number(row.start.split(":").at(-1));

/** Leaves out this process and its ancestors, since Waybill may run in an agent's shell. */
export function processTreeOf(identity: ProcessIdentity, table: readonly ProcessRow[], self: number): ProcessRow[] {
  const leader = treeLeader(identity, table);
  const spared = ancestorsOf(self, table);
  const tree = new Set(table.filter((row) => row.nonce === identity.nonce || (leader && row.group === leader.pid)));
  if (leader) tree.add(leader);
  for (let before = -1; before !== tree.size; ) {
    before = tree.size;
    const ids = new Set([...tree].map((row) => row.pid));
    for (const row of table) if (ids.has(row.parent)) tree.add(row);
  }
  return [...tree].filter((row) => !spared.has(row.pid));
}

function ancestorsOf(pid: number, table: readonly ProcessRow[]): Set<number> {
  const parents = new Map(table.map((row) => [row.pid, row.parent]));
  const chain = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !chain.has(next); next = parents.get(next)) {
    chain.add(next);
  }
  return chain;
}

/** A killed process ends as soon as the system gets to it, which takes seconds on a machine with far too much to do. */
const killMs = 15_000;

/** Asks the leader to end, waits, kills it and everything it left running, and waits until all have ended. */
export async function endProcessTree(identity: ProcessIdentity, deadlineMs: number): Promise<void> {
  const tree = new LiveTree(identity);
  const leader = treeLeader(identity, await tree.read());
  if (leader) await askToEnd(leader, tree, deadlineMs);
  const killAll = async () => {
    const alive = await tree.read();
    for (const row of alive) signal(row.pid, "SIGKILL");
    return alive.length === 0;
  };
  if (!(await pollUntil(killMs, killAll))) throw stillRunning(await tree.read());
}

/** While a tool runs, OpenCode only ends that tool at the first signal, and continues. So the signal is repeated. */
async function askToEnd(leader: ProcessRow, tree: LiveTree, deadlineMs: number): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  const hasEnded = async () => !(await tree.read()).some((row) => row.pid === leader.pid);
  do {
    signal(leader.group === leader.pid ? -leader.pid : leader.pid, "SIGTERM");
  } while (!(await pollUntil(Math.min(1000, deadlineMs), hasEnded)) && performance.now() < deadline);
}

/** The live processes of a tree. Remembers those seen before, since nothing may link them after the leader ends. */
class LiveTree {
  readonly #identity: ProcessIdentity;
  #seen: ProcessRow[] = [];

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
  }

  async read(): Promise<ProcessRow[]> {
    const table = await processTable();
    const isSame = (row: ProcessRow) => table.some((now) => now.pid === row.pid && now.start === row.start);
    const rows = [...this.#seen.filter(isSame), ...processTreeOf(this.#identity, table, process.pid)];
    this.#seen = [...new Map(rows.map((row) => [row.pid, row])).values()];
    return this.#seen;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has just ended, or belongs to another user; in that case it is still running at the deadline.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function stillRunning(tree: readonly ProcessRow[]): AppError {
  const ids = tree.map((row) => row.pid).join(", ");
  return new AppError({
    code: "agent_stays",
    message: `A program that Waybill started (process ${ids}) does not end.`,
    hint: `Find out what it is doing (\`ps -p ${ids.replaceAll(" ", "")}\`), end it, and start again.`,
  });
}
