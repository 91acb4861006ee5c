/** Migrates a store file to this program's version, one numbered step at a time, each in its own transaction. */
import Database from "better-sqlite3";
import { AppError } from "../../platform/app-error.ts";
import { storeCorrupt } from "./file/file-errors.ts";
import { ledger } from "./migrations/0001-ledger.ts";
import { daemon } from "./migrations/0002-daemon.ts";
import { usage } from "./migrations/0003-usage.ts";
import { events } from "./migrations/0004-events.ts";
import { log } from "./migrations/0005-log.ts";
import { teams } from "./migrations/0006-teams.ts";
import { teamFiles } from "./migrations/0007-inbox-files.ts";
import { attachments } from "./migrations/0008-attachments.ts";
import { transports } from "./migrations/0009-transports.ts";
import { dayStats } from "./migrations/0010-day-stats.ts";
import { memberConversations } from "./migrations/0011-member-conversations.ts";

type Migration = { sql: string; functions?: Record<string, (text: string) => string | null> };

/** Append only: the position of a step is its number. */
const migrations: readonly Migration[] = [
  { sql: ledger },
  { sql: daemon },
  { sql: usage },
  { sql: events },
  log,
  teams,
  teamFiles,
  attachments,
  transports,
  dayStats,
  memberConversations,
];

export const schemaVersion = migrations.length;

export function migrate(db: Database.Database, path: string): void {
  for (let version = versionOf(db) + 1; version <= schemaVersion; version++) {
    try {
      db.transaction(() => {
        const { sql, functions = {} } = migrations[version - 1] ?? { sql: "" };
        for (const [name, run] of Object.entries(functions)) db.function(name, { deterministic: true }, run);
        db.exec(sql);
        db.pragma(`user_version = ${version}`);
      })();
    } catch (error) {
      // The file claims an older version but lacks that version's tables.
      if (error instanceof Database.SqliteError && error.code === "SQLITE_ERROR") throw storeCorrupt(path, error);
      throw error;
    }
  }
}

export function refuseNewer(db: Database.Database, path: string): void {
  const found = versionOf(db);
  if (found <= schemaVersion) return;
  throw new AppError({
    code: "store_newer",
    message: `The store ${path} has version ${found}; this program knows versions up to ${schemaVersion}.`,
    hint: "Run the newer Waybill that wrote it, or restore a backup made with this version.",
  });
}

export function versionOf(db: Database.Database): number {
  return db.pragma("user_version", { simple: true }) as number;
}
