/** Moves rows that were read out of the inbox of a member that Waybill runs: large files are slow for everybody who reads them. */
import { join } from "node:path";
import type { Store } from "../../store/port.ts";
import { archiveRead } from "../inbox-files/archive.ts";
import type { InboxFile } from "../inbox-files/inbox-file.ts";
import type { FolderContext } from "./folder-context.ts";
import type { LaneMember } from "./lane-rows.ts";

/** What cannot be moved now is moved when the file has changed again. */
export async function archiveRows(
  inbox: InboxFile,
  { name, lane }: LaneMember,
  directory: string,
  { store, team, failPoint }: FolderContext,
): Promise<void> {
  const archive = join(directory, `${team.name}-${name}.jsonl`);
  await archiveRead(inbox, archive, { failPoint, stay: (keys) => owedReads(keys, lane, store) });
}

/** Rows whose flag is not in the ledger yet: whoever comes back after a crash looks for them. */
async function owedReads(keys: readonly string[], lane: string, store: Store): Promise<Set<string>> {
  const owed = new Set<string>();
  for (const key of keys) {
    const record = await store.deliveryOf(lane, key);
    if (record && record.readCommittedAt === null) owed.add(key);
  }
  return owed;
}
