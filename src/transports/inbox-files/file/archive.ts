/**
 * Moves read rows out of an inbox file that has grown large, into a file with one row per line. They are durable there
 * before they leave the inbox, so a crash in between only duplicates them in the archive.
 */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import { isRow, parseRow, rowKey } from "../../../core/inbox/row.ts";
import { keyInFile } from "./edit-inbox.ts";
import type { InboxFailure, InboxFile } from "./inbox-file.ts";
import { writeFailure } from "./problems.ts";

export type ArchiveOptions = {
  /** Smaller files are left alone. */
  overBytes?: number;
  /** Given the keys of read rows, returns the keys of those that must stay. */
  stay?: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  failPoint?: FailPointHook | undefined;
};

/** `keys` are the keys of the moved rows. Their writers must not treat them as lost. */
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

  // Only archived rows leave. A row that changed since is a different row.
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

/** Read and well-formed. A malformed row may mean something to other programs. */
function isDone(value: unknown): boolean {
  const row = parseRow(value);
  return !("invalid" in row) && row.isRead;
}

async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    const start = await endLastLine(file);
    await file.appendFile(`${start}${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Removes a line that a crash truncated: its row is still in the inbox. Returns the line break that a whole last line
 * may lack.
 */
async function endLastLine(file: FileHandle): Promise<"" | "\n"> {
  const { size } = await file.stat();
  const line = await lastLine(file, size);
  if (line.length === 0) return "";
  if (isJson(line.toString())) return "\n";
  await file.truncate(size - line.length);
  return "";
}

/** The bytes after the last line break. */
async function lastLine(file: FileHandle, size: number): Promise<Buffer> {
  const blockBytes = 64 * 1024;
  let line = Buffer.alloc(0);
  for (let end = size; end > 0; end -= blockBytes) {
    const start = Math.max(0, end - blockBytes);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const lineBreak = buffer.lastIndexOf("\n");
    line = Buffer.concat([buffer.subarray(lineBreak + 1), line]);
    if (lineBreak !== -1) break;
  }
  return line;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
