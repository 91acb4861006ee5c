/** The lock that a daemon keeps in a team's directory. */

import { takeLock } from "../../../src/store/sqlite/file/lock.ts";
import type { TakeLock } from "../../../src/transports/inbox-files/folder-lock.ts";

export const lockDirectory: TakeLock = (file) => {
  const outcome = takeLock(file, Date.now());
  return outcome.taken ? { release: outcome.lock.release } : outcome.holder;
};
