/** The only file that knows which store is used. */
import type { ProcessLocks, StoreAdministration } from "../../store/administration.ts";
import { sqliteAdministration, sqliteLocks } from "../../store/sqlite/administration.ts";

/** The store at the configured path. */
export function storeAt(path: string): StoreAdministration {
  return sqliteAdministration(path);
}

/** One lock for each home, and one for each team's files. */
export const processLocks: ProcessLocks = sqliteLocks;
