/**
 * Moves read rows out of the inbox of a member that Waybill runs: large files are slow for every program that reads
 * them.
 */
import { join } from "node:path";
import type { TeamFileStore } from "../../mail/team-files.ts";
import { archiveRead } from "./file/archive.ts";
import type { InboxFile } from "./file/inbox-file.ts";
import type { FolderContext } from "./folder-context.ts";
import type { LaneMember } from "./lane-rows.ts";

/** A row that cannot be moved now is moved after the file's next change. */
export async function archiveRows(
  inbox: InboxFile,
  { name, lane }: LaneMember,
  directory: string,
  { store, team, failPoint }: FolderContext,
): Promise<void> {
  const archive = join(directory, `${team.name}-${name}.jsonl`);
  await archiveRead(inbox, archive, { failPoint, stay: (keys) => owedReads(keys, lane, store) });
}

/** Rows whose read is not in the ledger yet. They must stay, because recovery after a crash looks for them. */
async function owedReads(
  keys: readonly string[],
  lane: string,
  store: Pick<TeamFileStore, "deliveryOf">,
): Promise<Set<string>> {
  const owed = new Set<string>();
  for (const key of keys) {
    const record = await store.deliveryOf(lane, key);
    if (record && record.readCommittedAt === null) owed.add(key);
  }
  return owed;
}
