/**
 * Agent processes that an earlier run left running. They finish their turns and then exit. Until then their sessions
 * are busy, and no other process may use them, since two processes would branch a session.
 */
import type { Clock } from "../../platform/clock.ts";
import type { RunningProgram } from "../port.ts";
import { isAlive, processTable } from "../process/process-table.ts";
import { endProcessTree, treeLeader } from "../process/process-tree.ts";
import type { ProcessRecord } from "./process-record.ts";
import { readProcessRecords, removeProcessRecord } from "./process-record.ts";

export type OrphanedProcessesOptions = {
  records: string;
  clock: Clock;
  endMs: number;
  onEnd: (record: ProcessRecord) => void;
  onError: (error: unknown) => void;
};

/** The operating system does not report the end of a process that is not our child, so it is polled. */
const pollMs = 250;

export class OrphanedProcesses {
  readonly #options: OrphanedProcessesOptions;
  /** By nonce. */
  readonly #orphans = new Map<string, ProcessRecord>();
  readonly #ending = new Map<string, Promise<void>>();
  #cancelPoll = () => {};
  #closed = false;

  constructor(options: OrphanedProcessesOptions) {
    this.#options = options;
  }

  /** Reads the records of the earlier run. For processes that have ended, ends everything their tools left running. */
  async load(): Promise<void> {
    const records = readProcessRecords(this.#options.records);
    if (records.length === 0) return;
    const table = await processTable();
    for (const record of records) {
      const leader = treeLeader(record, table);
      const identity = { pid: leader?.pid ?? null, processStart: leader?.start ?? null };
      this.#orphans.set(record.nonce, { ...record, ...identity });
    }
    await this.#poll();
  }

  has(sessionId: string): boolean {
    return [...this.#orphans.values()].some((record) => record.sessionId === sessionId);
  }

  programs(): RunningProgram[] {
    return [...this.#orphans.values()].map(({ pid, laneId, sessionId }) => ({
      ...{ pid, laneId, sessionId, directory: null, version: null, startedAt: null },
      ...{ restarts: 0, events: "none" as const },
    }));
  }

  /** Ends the session's process mid-turn. */
  async end(sessionId: string): Promise<void> {
    const records = [...this.#orphans.values()].filter((record) => record.sessionId === sessionId);
    await Promise.all(records.map((record) => this.#end(record)));
  }

  /** A process that does not end keeps its session, and is retried later. */
  async endAll(records: Iterable<ProcessRecord> = this.#orphans.values()): Promise<void> {
    const { onError } = this.#options;
    await Promise.all([...records].map((record) => this.#end(record).catch(onError)));
  }

  /** With `keep`, working processes continue, and the next run finds them by their records. */
  async close(keep: boolean): Promise<void> {
    this.#closed = true;
    this.#cancelPoll();
    if (!keep) await this.endAll();
    await Promise.allSettled(this.#ending.values());
  }

  async #poll(): Promise<void> {
    const { clock, onError } = this.#options;
    const hasEnded = ({ pid, processStart }: ProcessRecord) => pid === null || !isAlive(pid, processStart);
    await this.endAll([...this.#orphans.values()].filter(hasEnded));
    if (this.#closed || this.#orphans.size === 0) return;
    this.#cancelPoll = clock.at(clock.now() + pollMs, () => void this.#poll().catch(onError));
  }

  /** Ends the process and everything it left running. */
  #end(record: ProcessRecord): Promise<void> {
    const ending = this.#ending.get(record.nonce) ?? this.#endTree(record);
    this.#ending.set(record.nonce, ending);
    return ending;
  }

  async #endTree(record: ProcessRecord): Promise<void> {
    const { records, endMs, onEnd } = this.#options;
    try {
      await endProcessTree(record, endMs);
      removeProcessRecord(records, record);
      this.#orphans.delete(record.nonce);
    } finally {
      this.#ending.delete(record.nonce);
    }
    // During shutdown nothing reads the session; the next run will.
    if (!this.#closed) onEnd(record);
  }
}
