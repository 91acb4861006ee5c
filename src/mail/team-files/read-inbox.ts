/** Reads an inbox of a team if there is something new in it, and tells what keeps it from being read. */
import type { Clock } from "../../clock.ts";
import type { InboxRead } from "../inbox-files/inbox-file.ts";
import { isDirectory } from "../inbox-files/problems.ts";
import { keepCopy } from "../inbox-files/quarantine.ts";
import type { Inbox } from "./folder-inboxes.ts";
import type { FolderProblems } from "./folder-problems.ts";
import { isFileError } from "./team-config-file.ts";

export type ReadingDeps = {
  team: string;
  directory: string;
  /** For copies of files that cannot be read. */
  quarantine: string;
  problems: FolderProblems;
  clock: Clock;
};

/** True when there is something to look at. `isOfOthers`: the team has changed, so every row may be somebody else's. */
export async function readInbox(inbox: Inbox, isOfOthers: boolean, deps: ReadingDeps): Promise<boolean> {
  const { name, file } = inbox;
  const { directory, problems, clock } = deps;
  if (isOfOthers) inbox.taken = inbox.taken.renewed();
  const looked = await file.read({ evenIfUnchanged: isOfOthers || inbox.isOwed });
  // A new team has no directory for its inboxes until somebody writes. One that is gone since is left to the next scan.
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
    // Somebody mends or removes it just now. Without a copy the file is left as it is, too.
    if (!isFileError(error)) throw error;
  }
}
