/**
 * Finds files of this package. Not relative to a module, because bundled modules are in a different place than their
 * sources.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = packageRoot(dirname(fileURLToPath(import.meta.url)));

/** The absolute path of a file in the package. */
export function packageFile(path: string): string {
  return join(root, path);
}

export type PackageManifest = { version: string; engines: { node: string } };

export function packageManifest(): PackageManifest {
  return JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as PackageManifest;
}

function packageRoot(directory: string): string {
  if (existsSync(join(directory, "package.json"))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error("Waybill is not inside its package.");
  return packageRoot(parent);
}
