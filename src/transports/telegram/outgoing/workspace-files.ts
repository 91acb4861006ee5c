/** The files of a workspace: those that an agent created or changed, and what may be sent to a chat. */
import { realpath, stat } from "node:fs/promises";
import { basename, relative, resolve } from "node:path";
import type { FilePart } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { notPossible } from "../../../platform/app-error.ts";
import { isInside } from "../../../platform/inside.ts";
import type { Service, Workspace } from "../../../service/service.ts";

/** `path` is absolute. */
export type ChangedFile = Pick<FilePart, "path" | "change" | "diff"> & { turn: number | null; at: number };

const pageSize = 500;
/** For older changes, people can use the repository's history. */
const maxEvents = 10_000;

/** Newest first, back to `since`. */
export async function changedFiles(
  service: Pick<Service, "eventsBefore">,
  { id, directory }: { id: string; directory: string },
  since = 0,
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  let before: number | null = null;
  for (let read = 0; read < maxEvents; read += pageSize) {
    const page: readonly UniversalEvent[] = await service.eventsBefore(id, before, pageSize);
    files.push(...page.filter(({ time }) => time >= since).flatMap((event) => filesIn(event, directory)));
    const oldest = page.at(-1);
    if (!oldest || page.length < pageSize || oldest.time < since) break;
    before = oldest.seq;
  }
  return files;
}

/** The last part first, because the events are also newest first. */
function filesIn(event: UniversalEvent, directory: string): ChangedFile[] {
  if (event.type !== "item.completed" || event.data.item.kind !== "file_change") return [];
  const { turn, time: at } = event;
  const parts = event.data.item.parts.filter((part) => part.type === "file");
  return parts.toReversed().map(({ path, change, diff }) => ({
    ...{ path: resolve(directory, path), change, diff },
    ...{ turn, at },
  }));
}

/** Each path once, as it was last changed. Deleted files are left out. */
export function presentFiles(files: readonly ChangedFile[]): ChangedFile[] {
  const newest = new Map<string, ChangedFile>();
  for (const file of files) if (!newest.has(file.path)) newest.set(file.path, file);
  return [...newest.values()].filter(({ change }) => change !== "deleted");
}

/** The changes of the newest turn that changed anything, oldest first. */
export function lastTurnChanges(files: readonly ChangedFile[]): ChangedFile[] {
  const [newest] = files;
  return newest ? files.filter(({ turn }) => turn === newest.turn).toReversed() : [];
}

/** Null when no change has a diff to show. */
export function diffOf(changes: readonly ChangedFile[], directory: string): string | null {
  const diffs = changes.flatMap(({ path, diff }) =>
    diff === null ? [] : [withHeader(diff, relative(directory, path))],
  );
  return diffs.length === 0 ? null : diffs.join("");
}

/** Some agent programs report only the changed lines. */
function withHeader(diff: string, path: string): string {
  const body = diff.endsWith("\n") ? diff : `${diff}\n`;
  return /^(---|diff |Index: )/m.test(body) ? body : `--- a/${path}\n+++ b/${path}\n${body}`;
}

type SendableFile = { path: string; name: string; size: number };

/** The Bot API's limit. */
const maxBytes = 50_000_000;

/** Symlinks are followed, but not out of the workspace. Throws an `AppError` that says what is wrong. */
export async function sendableFile(given: string, { directory, denied }: Workspace): Promise<SendableFile> {
  const path = resolve(directory, given);
  const [root, real] = await Promise.all([realpath(directory), realpath(path).catch(() => null)]);
  if (real === null)
    throw notPossible(`There is no file "${given}".`, "/files lists the files that the agent changed.");
  if (!isInside(real, root) || denied.some((one) => isInside(real, one))) {
    throw notPossible(`"${given}" is outside the workspace.`, `Only files in ${directory} can be sent.`);
  }
  const found = await stat(real);
  if (!found.isFile()) throw notPossible(`"${given}" is not a file.`, "Name a file inside it.");
  if (found.size === 0) throw notPossible(`"${given}" is empty.`, "Telegram does not accept empty files.");
  if (found.size > maxBytes)
    throw notPossible(`"${given}" is larger than 50 MB.`, "Telegram does not accept larger files.");
  return { path: real, name: basename(path), size: found.size };
}
