/** Opens a store file the safe way, or says in plain words why not. The file is never changed by a refusal. */
import Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import { checkFile } from "./housekeeping.ts";
import { createPrivateFile } from "./private-file.ts";

export function openFile(path: string, options: { readonly?: boolean; suspicious?: boolean } = {}): Database.Database {
  if (!options.readonly) createPrivateFile(path);
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly: options.readonly ?? false, fileMustExist: true, timeout: 5000 });
    if (!options.readonly) db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    // Costs a pass over the file, so only after a process died with the store open.
    if (options.suspicious && checkFile(db, true).length > 0) throw corrupt(path);
    return db;
  } catch (error) {
    db?.close();
    throw asAppError(path, error);
  }
}

function asAppError(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === "SQLITE_NOTADB" || error.code.startsWith("SQLITE_CORRUPT")) return corrupt(path, error);
  if (error.code.startsWith("SQLITE_CANTOPEN") || error.code.startsWith("SQLITE_READONLY")) {
    return new AppError({
      code: "store_unavailable",
      message: `The store ${path} cannot be opened: ${error.message}.`,
      hint: "Check that the file exists and that its directory is writable.",
      cause: error,
    });
  }
  return error;
}

function corrupt(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "store_corrupt",
    message: `The store ${path} is damaged. It was left as it is.`,
    hint: "Run `waybill store check` to see how badly, and `waybill store restore BACKUP` to go back to a backup.",
    cause,
  });
}
