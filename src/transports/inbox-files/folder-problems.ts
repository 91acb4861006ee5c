/** Problems with the files of a team. Each is reported once when it begins and once when it is over. */
import type { FileProblem } from "../../core/inbox/inbox-note.ts";
import { inboxNote } from "../../core/inbox/inbox-note.ts";
import type { Notice } from "../../core/lane/lane.ts";
import type { FolderDeps } from "./folder-context.ts";

/** The subject of a problem: an inbox, by its name, or one of these, which cannot be inbox names. */
export const theDirectory = "/";
export const theLead = "/lead";

/** For an inbox that is readable but not writable. */
export function writingTo(inbox: string): string {
  return `${inbox}/writing`;
}

type ProblemCode = FileProblem | "directory_in_use" | "lead_not_served";

export type FolderProblem = { team: string; inbox: string | null; code: string; message: string };

type ProblemDeps = Pick<FolderDeps, "store" | "clock"> & { onProblem: (problem: FolderProblem) => void };

export class FolderProblems {
  readonly #team: string;
  readonly #deps: ProblemDeps;
  readonly #open = new Map<string, Notice>();

  constructor(team: string, deps: ProblemDeps) {
    this.#team = team;
    this.#deps = deps;
  }

  get notices(): readonly Notice[] {
    return [...this.#open.values()];
  }

  isOpen(about: string): boolean {
    return this.#open.has(about);
  }

  async report(about: string, code: ProblemCode, message: string): Promise<void> {
    if (this.#open.get(about)?.code === code) return;
    const inbox = inboxIn(about);
    this.#open.set(about, { code, message: inbox === null ? message : `${inbox}: ${message}` });
    this.#deps.onProblem({ team: this.#team, inbox, code, message });
    await this.#note(inbox, "problem", code, message);
  }

  async over(about: string): Promise<void> {
    if (this.#open.delete(about)) await this.#note(inboxIn(about), "usable", null, null);
  }

  /** While the directory is missing, its files have no problems of their own. */
  forgetFiles(): void {
    for (const about of this.#open.keys()) if (about !== theDirectory) this.#open.delete(about);
  }

  async #note(inbox: string | null, event: "problem" | "usable", reason: string | null, detail: string | null) {
    const { store, clock } = this.#deps;
    await store.noteInbox(inboxNote({ team: this.#team, inbox, event, reason, detail }), null, clock.now());
  }
}

function inboxIn(about: string): string | null {
  return about.split("/")[0] || null;
}
