/**
 * Programs that an earlier run started and left behind: they finish their turns and go by themselves. Until then their
 * sessions are busy, and nobody else may take them up, because two programs on one session would branch it.
 */
import type { Clock } from "../../clock.ts";
import { endFamily, leaderOf } from "../agent-process/process-family.ts";
import { isAlive, processTable } from "../agent-process/process-table.ts";
import type { ProcessRecord } from "./process-record.ts";
import { readProcessRecords, removeProcessRecord } from "./process-record.ts";

export type LeftOptions = {
  records: string;
  clock: Clock;
  endMs: number;
  onGone: (record: ProcessRecord) => void;
  onTrouble: (error: unknown) => void;
};

/** Nobody tells when a process ends that is not one's own child. Asked only while there is one. */
const lookMs = 250;

export class LeftPrograms {
  readonly #options: LeftOptions;
  readonly #left = new Map<string, ProcessRecord>();
  #cancel = () => {};
  #closed = false;

  constructor(options: LeftOptions) {
    this.#options = options;
  }

  /** Of those that are gone, what their tools left running is ended. */
  async find(): Promise<void> {
    const table = await processTable();
    for (const record of readProcessRecords(this.#options.records)) {
      const leader = leaderOf(record, table);
      if (leader) this.#left.set(record.sessionId, { ...record, pid: leader.pid, processStart: leader.start });
      else await this.#clear(record);
    }
    this.#lookLater();
  }

  has(sessionId: string): boolean {
    return this.#left.has(sessionId);
  }

  /** Ended in mid-turn, because somebody wants its turn to end. */
  async end(sessionId: string): Promise<void> {
    const record = this.#left.get(sessionId);
    if (record) await this.#gone(record);
  }

  /** Those that are still at work go on; the next run finds them by their records. */
  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #lookLater(): void {
    if (this.#closed || this.#left.size === 0) return;
    const { clock, onTrouble } = this.#options;
    this.#cancel = clock.at(clock.now() + lookMs, () => void this.#look().catch(onTrouble));
  }

  async #look(): Promise<void> {
    for (const record of [...this.#left.values()]) {
      if (record.pid === null || !isAlive(record.pid, record.processStart)) await this.#gone(record);
    }
    this.#lookLater();
  }

  async #gone(record: ProcessRecord): Promise<void> {
    await this.#clear(record);
    this.#left.delete(record.sessionId);
    this.#options.onGone(record);
  }

  async #clear(record: ProcessRecord): Promise<void> {
    const { records, endMs } = this.#options;
    await endFamily(record, endMs);
    removeProcessRecord(records, record.laneId);
  }
}
