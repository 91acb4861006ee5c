/** Recognizes network filesystems, where file locks are unreliable. */
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

const networkTypes = new Map<number, string>([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x00c36400, "CephFS"],
  [0x47504653, "GPFS"],
  [0x0bd00bd0, "Lustre"],
]);

type TypeOf = (path: string) => number;

/** The name of the network filesystem that a path is, or would be, on; null for a local one. */
export function networkFilesystemOf(path: string, typeOf: TypeOf = (path) => statfsSync(path).type): string | null {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  // Some platforms report the type as a signed word.
  return networkTypes.get(typeOf(existing) >>> 0) ?? null;
}
