/** Administers a store in a file. What only some commands need is loaded when they need it. */

import type { ProcessLocks, StoreAdministration } from "../administration.ts";
import { isDamage, isFileError, storeCorrupt } from "./file/file-errors.ts";
import { askLock, storeHolder, takeLock } from "./file/lock.ts";

export function sqliteAdministration(path: string): StoreAdministration {
  return {
    path,
    async open({ onHealth, ...options } = {}) {
      const { openSqliteStore } = await import("./sqlite-store.ts");
      const { StoreHealth } = await import("./file/store-health.ts");
      const health = new StoreHealth(onHealth);
      const store = openSqliteStore({ ...options, path, health });
      return { store, distrust: (finding) => health.distrust(storeCorrupt(path, undefined, finding)) };
    },
    holder: () => storeHolder(path),
    backup: async (to) => (await import("./store-files.ts")).backupStore(path, to),
    restore: async (from) => (await import("./store-files.ts")).restoreStore(path, from),
    check: async () => (await import("./store-files.ts")).checkStoreFile(path),
    inspect: async () => (await import("./store-files.ts")).inspectStore(path),
  };
}

export const sqliteLocks: ProcessLocks = {
  take: takeLock,
  ask: askLock,
  troubleIn(error) {
    if (isDamage(error)) return "damaged";
    return isFileError(error) ? "unusable" : null;
  },
};
