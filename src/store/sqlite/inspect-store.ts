/** What can be said about a store file in a moment, without changing it and whether somebody uses it or not. */
import { existsSync } from "node:fs";
import { AppError } from "../../app-error.ts";
import { realStorePath, refuseUnusable } from "./file/file-access.ts";
import { storeCorrupt, storeProblem } from "./file/file-errors.ts";
import { storeHolder } from "./file/lock.ts";
import { refuseNetworkFilesystem } from "./file/network-filesystem.ts";
import { refuseForgotten } from "./file/rescued.ts";
import { checkFile, checkOpenDeliveries } from "./housekeeping.ts";
import { refuseNewer, schemaVersion, versionOf } from "./migrate.ts";
import { openFile } from "./open-file.ts";

export type StoreInspection =
  | { state: "absent" }
  | { state: "error"; error: AppError }
  | {
      state: "sound";
      version: number;
      heldBy: { pid: number | null } | null;
      /** The latest time that is written down in it. */
      newestAt: number | null;
    };

export function inspectStore(path: string): StoreInspection {
  try {
    refuseNetworkFilesystem(path);
    refuseForgotten(realStorePath(path));
    if (!existsSync(path)) return { state: "absent" };
    // Before it is opened: that would leave files beside it which are as unwritable as it is.
    refuseUnusable(realStorePath(path));
    return { state: "sound", heldBy: storeHolder(path), ...readStore(path) };
  } catch (error) {
    const problem = storeProblem(path, error);
    if (problem instanceof AppError) return { state: "error", error: problem };
    throw problem;
  }
}

function readStore(path: string): { version: number; newestAt: number | null } {
  const db = openFile(path, { readonly: true });
  try {
    refuseNewer(db, path);
    const version = versionOf(db);
    // A start that was cut short at its first step leaves an empty file, and the next start fills it.
    if (version === 0 && db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined)
      return { version, newestAt: null };
    if (version === 0) throw storeCorrupt(path, undefined, { subject: "file", problem: "is not a Waybill store" });
    const [finding] = checkFile(db, true);
    if (finding) throw storeCorrupt(path, undefined, finding);
    const [broken] = version === schemaVersion ? checkOpenDeliveries(db, Number.POSITIVE_INFINITY) : [];
    if (broken) throw storeCorrupt(path, undefined, broken);
    const newest =
      "SELECT max((SELECT max(created_at) FROM message), coalesce((SELECT max(updated_at) FROM delivery), 0))";
    return { version, newestAt: db.prepare(newest).pluck().get() as number | null };
  } finally {
    db.close();
  }
}
