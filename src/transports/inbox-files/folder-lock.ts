/**
 * Only one Waybill at a time uses a team's files: it holds a lock file there, which the kernel releases when the
 * process dies.
 */
import { join } from "node:path";

/** Returns the lock, or the process that holds it. */
export type TakeLock = (file: string) => { release: () => void } | { pid: number | null };

export class DirectoryLock {
  readonly #file: string;
  readonly #take: TakeLock;
  #release: (() => void) | null = null;

  constructor(directory: string, take: TakeLock) {
    this.#file = join(directory, ".waybill.lock");
    this.#take = take;
  }

  /** Null once the lock is held; otherwise the process that holds it. */
  take(): { pid: number | null } | null {
    if (this.#release) return null;
    const taken = this.#take(this.#file);
    if (!("release" in taken)) return taken;
    this.#release = taken.release;
    return null;
  }

  release(): void {
    this.#release?.();
    this.#release = null;
  }
}
