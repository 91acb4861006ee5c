/** The version of this program, from its package. */
import { packageManifest } from "../platform/package-files.ts";

export function version(): string {
  return packageManifest().version;
}
