/** Reads a team's inbox if it has changed, and reports why it cannot be read. */
import type { Clock } from "../../platform/clock.ts";
import type { InboxRead } from "./file/inbox-file.ts";
import { isDirectory } from "./file/problems.ts";
import { keepCopy } from "./file/quarantine.ts";
import type { Inbox } from "./folder-inboxes.ts";
import type { FolderProblems } from "./folder-problems.ts";
import { isFileError } from "./team-config-file.ts";

export type ReadingDeps = {
  team: string;
  directory: string;
  /** For copies of unreadable files. */
  quarantine: string;
  problems: FolderProblems;
  clock: Clock;
};

/**
 * True if there is something to process. `isOfOthers`: the team has changed, so any row may now belong to another
 * member.
 */
export async function readInbox(inbox: Inbox, isOfOthers: boolean, deps: ReadingDeps): Promise<boolean> {
  const { name, file } = inbox;
  const { directory, problems, clock } = deps;
  if (isOfOthers) inbox.taken = inbox.taken.renewed();
  const looked = await file.read({ evenIfUnchanged: isOfOthers || inbox.isOwed });
  // A new team has no inbox directory until someone writes. If the team's directory is missing, the next scan reports
  // it.
  const isNowhere = looked.outcome === "failed" && looked.problem === "directory_missing";
  if (isNowhere && !isDirectory(directory)) return false;
  const read: InboxRead = isNowhere ? { outcome: "missing" } : looked;
  if (inbox.mayBeGoing(read, clock.now())) return false;
  switch (read.outcome) {
    case "unchanged":
      return false;
    case "failed":
      if (read.problem === "corrupt") await copyAside(inbox, deps);
      await problems.report(name, read.problem, read.error);
      return false;
    case "missing":
    case "read":
      await problems.over(name);
      inbox.rows = read.outcome === "read" ? read.rows : [];
      inbox.isOwed = true;
      return true;
    default:
      return read satisfies never;
  }
}

async function copyAside({ name, file }: Inbox, { quarantine, team }: ReadingDeps): Promise<void> {
  try {
    await keepCopy(file.path, quarantine, `${team}-${name}`);
  } catch (error) {
    // The file is being repaired or removed right now. It is left as it is even without a copy.
    if (!isFileError(error)) throw error;
  }
}
