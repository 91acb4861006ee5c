/** Files of the store hold what people said: only their owner may read them. */
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Makes sure that the file exists, before a library would make it with wider permissions. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Makes a finished file and its name survive a power cut. */
export function syncToDisk(path: string): void {
  for (const place of [path, dirname(path)]) {
    const descriptor = openSync(place, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
