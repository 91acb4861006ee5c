/** The inboxes of a team by member name, and the last known rows of each. */
import { rmdirSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { RowForm } from "../../core/inbox/row.ts";
import { formOfRows, rowKey } from "../../core/inbox/row.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import { fileNameOf, memberName } from "../../core/inbox/team-config.ts";
import type { InboxRead } from "./file/inbox-file.ts";
import { InboxFile, staleMs } from "./file/inbox-file.ts";
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
