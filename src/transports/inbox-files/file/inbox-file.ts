/**
 * One inbox file: a JSON array that other programs also rewrite. An appended row is verified by reading it back. Other
 * programs' rows are never damaged, and a file that does not parse is never written.
 */
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import type { InboxRow } from "../../../core/inbox/row.ts";
import type { Appended, BatchPlan, Waiting } from "./edit-inbox.ts";
import { keyInFile, planBatch, rowText, withRows } from "./edit-inbox.ts";
import { InboxReader } from "./inbox-reader.ts";
import type { InboxFailure } from "./problems.ts";
import { isToldByReading } from "./problems.ts";
import type { FileState } from "./read-bytes.ts";
import { isSameState, msSinceChange, presentState } from "./read-bytes.ts";
import { removeLeftOvers } from "./replacement.ts";
import type { Edit, RewriteContext, Rewritten } from "./rewrite.ts";
import { mayBeWritten, rewrite } from "./rewrite.ts";

export type { Appended } from "./edit-inbox.ts";
export type { InboxFailure, InboxProblem } from "./problems.ts";

/** `missing`: no such file, which is an empty inbox. Do not change the rows in place. */
export type InboxRows = { outcome: "read"; rows: readonly unknown[] } | { outcome: "missing" } | InboxFailure;

/** `unchanged`: since this object's last `read`. */
export type InboxRead = InboxRows | { outcome: "unchanged" };

export type Changed = { outcome: "changed" } | { outcome: "unchanged" } | { outcome: "missing" } | InboxFailure;

export type InboxFileOptions = {
  /** Larger files are neither read nor written. */
  maxBytes?: number;
  /** How long to wait for another program's lock. */
  lockMs?: number;
  /** When a lock counts as abandoned; at least 2 s. All programs must agree on it. */
  staleMs?: number;
  failPoint?: FailPointHook | undefined;
};

/** When a lock counts as abandoned by default. Claude Code uses the same value. */
export const staleMs = 10_000;

const defaults = { maxBytes: 8 * 1024 * 1024, lockMs: 3000, staleMs };

/**
 * Some file systems store times in seconds: a file that changed this recently may change again without a visible sign.
 */
const coarsestTimeMs = 2000;

type WaitingRow = Waiting & { settle(appended: Appended): void; fail(error: unknown): void };

export class InboxFile {
  readonly path: string;
  readonly #reader: InboxReader;
  readonly #context: RewriteContext;
  #lastRead: { bytes: Buffer; state: FileState; isSettled: boolean } | null = null;
  #waiting: WaitingRow[] = [];
  #isAppending = false;
  /** Serializes this object's rewrites. */
  #rewrites: Promise<unknown> = Promise.resolve();
  #leftOvers: Promise<void> | null = null;
  #writeFailure: InboxFailure | null = null;

  constructor(path: string, options: InboxFileOptions = {}) {
    const { maxBytes, lockMs, staleMs } = { ...defaults, ...options };
    this.path = path;
    this.#reader = new InboxReader(path, maxBytes);
    const lock = { waitMs: lockMs, staleMs };
    this.#context = { reader: this.#reader, lock, failPoint: options.failPoint, contendedUntil: 0, isLockedOut: false };
  }

  /** Why the last change could not be written; null if it was, or if there was nothing to change. */
  get writeFailure(): InboxFailure | null {
    return this.#writeFailure;
  }

  /** Clears the last write failure if its cause no longer holds. Does not retry the change. */
  async recheckWriting(): Promise<void> {
    const failure = this.#writeFailure;
    if (failure === null || isToldByReading(failure)) return;
    await this.#rewrites;
    if ((await mayBeWritten(this.#context)) && this.#writeFailure === failure) this.#writeFailure = null;
  }

  async read({ evenIfUnchanged = false } = {}): Promise<InboxRead> {
    await this.#removeLeftOvers();
    const last = evenIfUnchanged ? null : this.#lastRead;
    if (last?.isSettled) {
      const state = presentState(this.path);
      if (state !== null && isSameState(state, last.state)) return { outcome: "unchanged" };
    }
    const looked = await this.#reader.look();
    if (looked.outcome !== "looked") {
      this.#lastRead = null;
      return looked;
    }
    const { inbox, state } = looked;
    this.#lastRead = { bytes: inbox.bytes, state, isSettled: msSinceChange(state) > coarsestTimeMs };
    if (last?.bytes.equals(inbox.bytes)) return { outcome: "unchanged" };
    // The cause of the failure may be gone; the next write finds out.
    if (this.#writeFailure && isToldByReading(this.#writeFailure)) this.#writeFailure = null;
    return { outcome: "read", rows: inbox.rows };
  }

  /** Returns the rows without counting as a read. */
  async peek(): Promise<InboxRows> {
    await this.#removeLeftOvers();
    const looked = await this.#reader.look();
    return looked.outcome === "looked" ? { outcome: "read", rows: looked.inbox.rows } : looked;
  }

  /** Verified: the row was read back after it was written. Concurrent calls share a rewrite. */
  async append(row: InboxRow): Promise<Appended> {
    const [key, text] = [keyInFile(row), rowText(row)];
    return new Promise((settle, fail) => {
      this.#waiting.push({ key, text, isWritten: false, settle, fail });
      this.#appendNext();
    });
  }

  /**
   * Rewrites the rows that `change` returns; null means nothing to change. Called again if others wrote in between,
   * until it finds nothing to change. A row that is returned as it was given keeps its bytes.
   */
  async change(change: (rows: readonly unknown[]) => readonly unknown[] | null): Promise<Changed> {
    let isMissing = false;
    const next: Edit["next"] = (inbox) => {
      isMissing = inbox === null;
      const rows = inbox === null ? null : change(inbox.rows);
      return inbox === null || rows === null ? null : withRows(inbox, rows);
    };
    const done = await this.#rewrite({ next, written: () => {} });
    if (done.outcome === "failed") return done;
    if (isMissing) return { outcome: "missing" };
    return { outcome: done.outcome === "written" ? "changed" : "unchanged" };
  }

  #appendNext(): void {
    if (this.#isAppending || this.#waiting.length === 0) return;
    this.#isAppending = true;
    void this.#appendWaiting().then(() => {
      this.#isAppending = false;
      this.#appendNext();
    });
  }

  /** Rows that arrive before the edit are written together with the others. */
  async #appendWaiting(): Promise<void> {
    const first = [...this.#waiting];
    let plan: BatchPlan<WaitingRow> = { bytes: null, added: [], outcomes: new Map() };
    const edit: Edit = {
      next: (inbox) => {
        plan = planBatch(inbox, this.#waiting, this.#reader);
        return plan.bytes;
      },
      written: () => {
        for (const one of plan.added) one.isWritten = true;
      },
    };
    try {
      const done = await this.#rewrite(edit);
      for (const one of this.#take(first, plan)) {
        const outcome = done.outcome === "failed" ? done : plan.outcomes.get(one);
        if (outcome) one.settle(outcome);
      }
    } catch (error) {
      for (const one of this.#take(first, plan)) one.fail(error);
    }
  }

  #take(first: readonly WaitingRow[], plan: BatchPlan<WaitingRow>): Set<WaitingRow> {
    const taken = new Set([...first, ...plan.outcomes.keys()]);
    this.#waiting = this.#waiting.filter((one) => !taken.has(one));
    return taken;
  }

  #rewrite(edit: Edit): Promise<Rewritten> {
    const done = this.#rewrites.then(async () => {
      await this.#removeLeftOvers();
      const rewritten = await rewrite(this.#context, edit);
      this.#writeFailure = rewritten.outcome === "failed" ? rewritten : null;
      // Another program may undo this before the next read, which must not report "unchanged" then.
      if (rewritten.outcome !== "nothing") this.#lastRead = null;
      return rewritten;
    });
    this.#rewrites = done.catch(() => {});
    return done;
  }

  #removeLeftOvers(): Promise<void> {
    this.#leftOvers ??= removeLeftOvers(this.path);
    return this.#leftOvers;
  }
}
