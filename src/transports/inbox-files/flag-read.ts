/** Flags rows of an inbox file as read. */
import { isRow, rowKey } from "../../core/inbox/row.ts";
import type { ReadCommit } from "../../mail/read-commit.ts";
import type { InboxFile } from "./file/inbox-file.ts";

/** Flags every row with one of these keys, including several rows with the same id. */
export async function flagRead(inbox: InboxFile, keys: ReadonlySet<string>): Promise<ReadCommit> {
  let found = false;
  const changed = await inbox.change((rows) => {
    found = false;
    return rows.map((row) => {
      if (!isRow(row) || !keys.has(rowKey(row) ?? "")) return row;
      found = true;
      return row.read === true ? row : { ...row, read: true };
    });
  });
  if (changed.outcome === "failed") {
    if (changed.problem === "directory_missing") return { outcome: "row_gone" };
    return { outcome: "failed", error: `${changed.problem}: ${changed.error}` };
  }
  return { outcome: found ? "committed" : "row_gone" };
}
