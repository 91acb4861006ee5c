/**
 * Watches a team's directory, its inboxes, and the parent directory, where it may reappear. Events only trigger a scan.
 */
import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import { dirname, join } from "node:path";

export class FolderWatch {
  readonly #paths: readonly string[];
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #closed = false;

  constructor(directory: string, onChange: () => void) {
    this.#paths = [dirname(directory), directory, join(directory, "inboxes")];
    this.#onChange = onChange;
  }

  /** Watches paths that have appeared since. The next rescan covers what cannot be watched. */
  renew(): void {
    for (const path of this.#paths) if (!this.#watchers.has(path) && !this.#closed) this.#follow(path);
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #follow(path: string): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(path, { persistent: false }, (event, name) => this.#changed(event, name, path));
    } catch {
      return;
    }
    watcher.on("error", () => this.#forget(path));
    this.#watchers.set(path, watcher);
  }

  #changed(event: string, name: string | null, path: string): void {
    // A removed or replaced directory must be watched again; its removal is reported under its own name.
    if (event === "rename") this.#forgetBelow(path, name);
    if (!isPassing(name)) this.#onChange();
  }

  #forgetBelow(path: string, name: string | null): void {
    const gone = name === null ? path : join(path, name);
    for (const watched of this.#watchers.keys()) {
      if (
        watched === gone ||
        watched.startsWith(`${gone}/`) ||
        (name !== null && path.endsWith(`/${name}`) && watched === path)
      ) {
        this.#forget(watched);
      }
    }
  }

  #forget(path: string): void {
    this.#watchers.get(path)?.close();
    this.#watchers.delete(path);
  }
}

/** Lock files and temporary replacement files are not changes. */
function isPassing(name: string | null): boolean {
  return name !== null && /\.lock$|\.tmp(\.|$)/.test(name);
}
