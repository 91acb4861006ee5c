/**
 * Watches directories that may appear, disappear and reappear, and lets tests wait for a condition on their files. The
 * first directory must exist, and each of the others must be directly inside the previous one.
 */
import type { FSWatcher } from "node:fs";
import { statSync, watch } from "node:fs";

export class DirectoryWatch {
  readonly #directories: readonly string[];
  readonly #watched = new Map<string, { identity: string; watcher: FSWatcher }>();
  readonly #waiting = new Set<() => void>();

  constructor(directories: readonly string[]) {
    this.#directories = directories;
  }

  start(): void {
    for (const directory of this.#directories) this.#follow(directory);
  }

  /** For conditions that depend on something else. */
  notify(): void {
    for (const look of this.#waiting) look();
  }

  until<T>(look: () => T | null | undefined | false, ms: number, complaint: () => string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(deadline);
        this.#waiting.delete(check);
        act();
      };
      const check = () => {
        try {
          const found = look();
          if (found) settle(() => resolve(found));
        } catch (error) {
          // A file that is being written: its next change will be noticed.
          if (!(error instanceof SyntaxError)) settle(() => reject(error));
        }
      };
      const deadline = setTimeout(() => settle(() => reject(new Error(complaint()))), ms);
      this.#waiting.add(check);
      check();
    });
  }

  close(): void {
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  /** A directory of the same name may be another one by now. */
  #follow(directory: string): void {
    const stats = statSync(directory, { throwIfNoEntry: false });
    const identity = stats && `${stats.ino} ${stats.birthtimeMs}`;
    const old = this.#watched.get(directory);
    if (old?.identity === identity) return;
    old?.watcher.close();
    this.#watched.delete(directory);
    if (identity === undefined) return;
    const watcher = watch(directory, () => {
      this.start();
      this.notify();
    });
    this.#watched.set(directory, { identity, watcher });
  }
}
