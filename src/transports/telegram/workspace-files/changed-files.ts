/** The files that an agent created or changed, read from the stored events of its lane. */
import { resolve } from "node:path";
import type { FilePart } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";

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
