/** The inboxes of a team by member name, and the last known rows of each. Reads them when they change. */

import { rmdirSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { RowForm } from "../../core/inbox/row.ts";
import { formOfRows, rowKey } from "../../core/inbox/row.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import { fileNameOf, memberName } from "../../core/inbox/team-config.ts";
import type { Clock } from "../../platform/clock.ts";
import type { InboxRead } from "./file/inbox-file.ts";
import { InboxFile, staleMs } from "./file/inbox-file.ts";
import { isDirectory } from "./file/problems.ts";
import { keepCopy } from "./file/quarantine.ts";
import type { FolderProblems } from "./folder-problems.ts";
import { InboxRows } from "./inbox-rows.ts";
import { isFileError } from "./team-config-file.ts";

/** How long it takes to remove a directory, with a margin. */
export const removalMs = 500;

export class Inbox {
  readonly name: string;
  readonly file: InboxFile;
  rows: readonly unknown[] = [];
  taken: InboxRows;
  /** The keys of its rows when they were last processed. */
  order: readonly string[] = [];
  /** Its rows must be processed again although its file has not changed. */
  isOwed = false;
  #missingSince: number | null = null;

  constructor(name: string, path: string, failPoint: FailPointHook | undefined) {
    this.name = name;
    this.file = new InboxFile(path, { failPoint });
    this.taken = new InboxRows(name);
  }

  /** A file that disappears is ignored for a moment, because its whole directory may be about to be removed. */
  mayBeGoing({ outcome }: InboxRead, now: number): boolean {
    if (outcome !== "missing" || this.order.length === 0) {
      this.#missingSince = null;
      return false;
    }
    this.#missingSince ??= now;
    return now < this.#missingSince + removalMs;
  }

  get isMissed(): boolean {
    return this.#missingSince !== null;
  }

  looked(): void {
    this.isOwed = false;
    this.order = this.rows.flatMap((row) => rowKey(row) ?? []);
  }
}

export class FolderInboxes {
  readonly #directory: string;
  readonly #failPoint: FailPointHook | undefined;
  readonly #byName = new Map<string, Inbox>();

  constructor(directory: string, failPoint: FailPointHook | undefined) {
    this.#directory = join(directory, "inboxes");
    this.#failPoint = failPoint;
  }

  /** Finds new files. */
  async list(): Promise<void> {
    for (const file of await listed(this.#directory)) {
      if (file.endsWith(".json.lock")) removeStaleLock(join(this.#directory, file));
      const name = file.endsWith(".json") ? memberName(file.slice(0, -".json".length)) : null;
      if (name !== null && !this.#byName.has(name)) this.#add(name, file);
    }
  }

  /** Inboxes whose files exist or existed. */
  get all(): Inbox[] {
    return [...this.#byName.values()];
  }

  /** The file need not exist. */
  of(name: string, config: TeamConfig | null): Inbox {
    const called = config?.members.find((member) => member.name === name)?.fileName ?? fileNameOf(name);
    return this.#byName.get(name) ?? this.#add(name, `${called}.json`);
  }

  /** The form of the last known rows; null if none shows it. */
  get form(): RowForm | null {
    const forms = this.all.map(({ rows }) => formOfRows(rows));
    return forms.find((form) => form !== null) ?? null;
  }

  get missesOne(): boolean {
    return this.all.some(({ isMissed }) => isMissed);
  }

  /** Whether a write failed because another program holds a lock. */
  get awaitsLock(): boolean {
    return this.all.some(({ file }) => file.writeFailure?.problem === "locked");
  }

  forget(): void {
    this.#byName.clear();
  }

  #add(name: string, file: string): Inbox {
    const inbox = new Inbox(name, join(this.#directory, file), this.#failPoint);
    this.#byName.set(name, inbox);
    return inbox;
  }
}

/** Any program that uses this lock may remove one that its owner left when it died. */
function removeStaleLock(path: string): void {
  try {
    const { mtimeMs } = statSync(path);
    if (Date.now() - mtimeMs > staleMs) rmdirSync(path);
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

async function listed(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (isFileError(error)) return [];
    throw error;
  }
}

type ReadingDeps = {
  team: string;
  directory: string;
  /** For copies of unreadable files. */
  quarantine: string;
  problems: FolderProblems;
  clock: Clock;
};

/**
 * Reads an inbox if it has changed, and reports why it cannot be read. True if there is something to process. `isOfOthers`: the team has changed, so any row may now belong to another
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
