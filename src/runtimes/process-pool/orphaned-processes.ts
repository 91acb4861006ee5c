/**
 * Programs that an earlier run started and left behind: they finish their turns and go by themselves. Until then their
 * sessions are busy, and nobody else may take them up, because two programs on one session would branch it.
 */
import type { Clock } from "../../clock.ts";
import { isAlive, processTable } from "../process/process-table.ts";
import { endProcessTree, treeLeader } from "../process/process-tree.ts";
import type { ProcessRecord } from "./process-record.ts";
import { readProcessRecords, removeProcessRecord } from "./process-record.ts";

export type LeftOptions = {
  records: string;
  clock: Clock;
  endMs: number;
  onGone: (record: ProcessRecord) => void;
  onError: (error: unknown) => void;
};

/** Nobody tells when a process ends that is not one's own child. Asked only while there is one. */
const lookMs = 250;

export class OrphanedProcesses {
  readonly #options: LeftOptions;
  /** By nonce. */
  readonly #left = new Map<string, ProcessRecord>();
  readonly #ending = new Map<string, Promise<void>>();
  #cancel = () => {};
  #closed = false;

  constructor(options: LeftOptions) {
    this.#options = options;
  }

  /** Of those that are gone, what their tools left running is ended. */
  async find(): Promise<void> {
    const table = await processTable();
    for (const record of readProcessRecords(this.#options.records)) {
      const leader = treeLeader(record, table);
      this.#left.set(record.nonce, {
        ...record,
        pid: leader?.pid ?? null,
        processStart: leader?.start ?? null,
      });
    }
    await this.#look();
  }

  has(sessionId: string): boolean {
    return [...this.#left.values()].some((record) => record.sessionId === sessionId);
  }

  /** Ended in mid-turn, because somebody wants its turn to end. */
  async end(sessionId: string): Promise<void> {
    const records = [...this.#left.values()].filter((record) => record.sessionId === sessionId);
    await Promise.all(records.map((record) => this.#end(record)));
  }

  /** For a program that nobody can go on talking to. One that does not end keeps its session, and is tried again. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#left.values()].map((record) => this.#endOrTell(record)));
  }

  /** With `keep`, those that are still at work go on, and the next run finds them by their records. */
  async close(keep: boolean): Promise<void> {
    this.#closed = true;
    this.#cancel();
    if (!keep) await this.endAll();
    await Promise.allSettled(this.#ending.values());
  }

  /** One that cannot be ended keeps its session, and is tried again. */
  async #look(): Promise<void> {
    const gone = [...this.#left.values()].filter(
      ({ pid, processStart }) => pid === null || !isAlive(pid, processStart),
    );
    await Promise.all(gone.map((record) => this.#endOrTell(record)));
    if (this.#closed || this.#left.size === 0) return;
    const { clock, onError } = this.#options;
    this.#cancel = clock.at(clock.now() + lookMs, () => void this.#look().catch(onError));
  }

  async #endOrTell(record: ProcessRecord): Promise<void> {
    try {
      await this.#end(record);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** With all that it left running. */
  #end(record: ProcessRecord): Promise<void> {
    const ending = this.#ending.get(record.nonce) ?? this.#clear(record);
    this.#ending.set(record.nonce, ending);
    return ending;
  }

  async #clear(record: ProcessRecord): Promise<void> {
    const { records, endMs, onGone } = this.#options;
    try {
      await endProcessTree(record, endMs);
      removeProcessRecord(records, record);
      this.#left.delete(record.nonce);
    } finally {
      this.#ending.delete(record.nonce);
    }
    // While everything is closed nobody is there to look; the next run does.
    if (!this.#closed) onGone(record);
  }
}
