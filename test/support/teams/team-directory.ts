/** The directory of a team whose members write to each other in files, as other programs create and use it. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: rows of other programs; a test reads what it needs.
export type Row = Record<string, any>;

export class TeamDirectory {
  readonly path: string;

  constructor(parent: string, name = "crew") {
    this.path = join(parent, name);
  }

  make(members: readonly string[] = ["team-lead", "tom", "nate"], more: object = {}): this {
    mkdirSync(join(this.path, "inboxes"), { recursive: true });
    const lead = "team-lead";
    const config = {
      name: "crew",
      leadAgentId: `${lead}@crew`,
      members: members.map((name) => ({ agentId: `${name}@crew`, name, agentType: name === lead ? lead : "worker" })),
      ...more,
    };
    writeFileSync(join(this.path, "config.json"), JSON.stringify(config));
    return this;
  }

  file(inbox: string): string {
    return join(this.path, "inboxes", `${inbox}.json`);
  }

  /** Like a program without locks: writes the whole array. */
  put(inbox: string, rows: readonly unknown[]): void {
    const beside = `${this.file(inbox)}.other`;
    writeFileSync(beside, JSON.stringify(rows, null, 2));
    renameSync(beside, this.file(inbox));
  }

  add(inbox: string, ...rows: readonly unknown[]): void {
    this.put(inbox, [...this.rows(inbox), ...rows]);
  }

  rows(inbox: string): Row[] {
    try {
      return JSON.parse(readFileSync(this.file(inbox), "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  row(inbox: string, id: string): Row | undefined {
    return this.rows(inbox).find((row) => row?.messageId === id || row?.msg_id === id);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A directory for teams that is removed after the test. */
export function teamsDirectory(parent = tmpdir()): string {
  const path = realpathSync(mkdtempSync(join(parent, "waybill-teams-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Reads other programs' files until they are as expected; the test's own timeout is the limit. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(5);
}

/** Keeps a file's lock fresh, like a program that never releases it. Returns a function that stops this. */
export function keepLocked(file: string): () => void {
  const lock = `${file}.lock`;
  mkdirSync(lock);
  const keeping = setInterval(() => utimesSync(lock, new Date(), new Date()), 500);
  const release = () => {
    clearInterval(keeping);
    rmSync(lock, { recursive: true, force: true });
  };
  onTestFinished(release);
  return release;
}

let count = 0;

export function aRow(row: Row = {}): Row {
  count += 1;
  return {
    from: "nate",
    text: `row ${count}`,
    timestamp: new Date().toISOString(),
    read: false,
    messageId: `r${count}`,
    ...row,
  };
}
