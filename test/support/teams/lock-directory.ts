/** The lock that a daemon keeps in a team's directory. */
import type { TakeLock } from "../../../src/mail/team-files/folder-lock.ts";
import { takeLock } from "../../../src/store/sqlite/file/lock-file.ts";

export const lockDirectory: TakeLock = (file) => {
  const outcome = takeLock(file, Date.now());
  return outcome.taken ? { release: outcome.lock.release } : outcome.holder;
};
