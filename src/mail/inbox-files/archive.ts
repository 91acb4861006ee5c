/**
 * Moves rows that were read out of an inbox file that has grown, into a file with a row on each line. They are durable there
 * before they leave the inbox, so a crash in between only repeats them in the archive.
 */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import { isRow, parseRow, rowKey } from "../../core/inbox/row.ts";
import { keyInFile } from "./edit-inbox.ts";
import type { InboxFailure, InboxFile } from "./inbox-file.ts";
import { writeFailure } from "./problems.ts";

export type ArchiveOptions = {
  /** A smaller file is left alone. */
  overBytes?: number;
  /** Which of these rows are not to leave, by their keys. They were read when it is asked. */
  stay?: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  failPoint?: FailPointHook | undefined;
};

/** The keys of the rows that moved; whoever wrote one of them must not take it for lost. */
export type Archived = { outcome: "archived"; moved: number; keys: readonly string[] } | InboxFailure;

const nothing: Archived = { outcome: "archived", moved: 0, keys: [] };

export async function archiveRead(
  inbox: InboxFile,
  archivePath: string,
  { overBytes = 256 * 1024, stay, failPoint }: ArchiveOptions = {},
): Promise<Archived> {
  const size = (await stat(inbox.path).catch(() => null))?.size ?? 0;
  if (size <= overBytes) return nothing;
  const read = await inbox.peek();
  if (read.outcome === "failed") return read;
  const done = read.outcome === "missing" ? [] : read.rows.filter(isDone);
  const staying = await stay?.(done.map((row) => rowKey(row) ?? ""));
  const leaving = done.filter((row) => !staying?.has(rowKey(row) ?? ""));
  if (leaving.length === 0) return nothing;
  const lines = leaving.map((row) => JSON.stringify(row));
  try {
    await appendLines(archivePath, lines);
  } catch (error) {
    return writeFailure(archivePath, error);
  }
  failPoint?.("inbox.archived");

  // Only what stands in the archive leaves: a row that somebody has changed meanwhile is another.
  const archived = new Set(lines);
  const isArchived = (row: unknown) => isRow(row) && row.read === true && archived.has(JSON.stringify(row));
  const left = new Set<string>();
  const changed = await inbox.change((rows) => {
    const others = rows.filter((row) => !isArchived(row));
    if (others.length === rows.length) return null;
    for (const row of rows) if (isArchived(row)) left.add(JSON.stringify(row));
    return others;
  });
  if (changed.outcome === "failed") return changed;
  return { outcome: "archived", moved: left.size, keys: [...left].map((line) => keyInFile(JSON.parse(line))) };
}

/** Read, and understood: what is not understood may mean something to others. */
function isDone(value: unknown): boolean {
  const row = parseRow(value);
  return !("invalid" in row) && row.isRead;
}

async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    const start = (await endsInTheMiddle(file)) ? "\n" : "";
    await file.appendFile(`${start}${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A crash may have left half a line. */
async function endsInTheMiddle(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== "\n";
}
