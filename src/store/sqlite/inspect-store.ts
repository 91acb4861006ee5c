/** Inspects a store file quickly and without changing it, even while it is in use. */
import { existsSync } from "node:fs";
import { AppError } from "../../platform/app-error.ts";
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
      /** The latest time stored in it. */
      newestAt: number | null;
    };

export function inspectStore(path: string): StoreInspection {
  try {
    refuseNetworkFilesystem(path);
    refuseForgotten(realStorePath(path));
    if (!existsSync(path)) return { state: "absent" };
    // Before it is opened: opening would leave files next to it that are just as unwritable.
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
    // A start that was interrupted at its first step leaves an empty file, and the next start fills it.
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
