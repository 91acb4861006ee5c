/**
 * Many lanes move at once; a commit is what costs. All writes that were asked for in one turn of the event loop go
 * into one transaction. Nobody hears of success before the batch is durable. Where one of them fails, all are taken back,
 * and each is written in a transaction of its own, so that it harms no other.
 */
import type Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import { isFileError } from "./file/file-errors.ts";
import type { StoreHealth } from "./file/store-health.ts";

type Outcome = { value: unknown } | { error: AppError };
type Write = { run: () => unknown; resolve: (value: unknown) => void; reject: (error: unknown) => void };

const maxInABatch = 500;

export type CommitPoint = "store.written" | "store.committed";

export type GroupCommitOptions = {
  failPoint?: ((point: CommitPoint) => void) | undefined;
  /** Something that was written has been taken back: what was remembered of it is wrong. */
  onRollback?: () => void;
};

export class GroupCommit {
  readonly #db: Database.Database;
  readonly #health: StoreHealth;
  readonly #options: GroupCommitOptions;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #listeners = new Set<() => void>();
  #waiting: Write[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(db: Database.Database, health: StoreHealth, options: GroupCommitOptions = {}) {
    this.#db = db;
    this.#health = health;
    this.#options = options;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  /**
   * `run` refuses with an `AppError` before it writes anything. It is called a second time when another write of the same
   * batch failed.
   */
  write<T>(run: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new AppError({ code: "store_closed", message: "The store is closed." }));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#scheduled ??= setImmediate(() => this.#flush());
    });
  }

  /** Told after each batch, once it is durable and those who asked for it know. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what still waits; nothing is taken after that. */
  close(): void {
    this.#closed = true;
    while (this.#waiting.length > 0) this.#flush();
  }

  #flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const batch = this.#waiting.splice(0, maxInABatch);
    if (this.#waiting.length > 0 && !this.#closed) this.#scheduled = setImmediate(() => this.#flush());
    if (batch.length === 0) return;
    this.#writeAll(batch);
    for (const listener of this.#listeners) listener();
  }

  #writeAll(batch: readonly Write[]): void {
    let outcomes: Outcome[];
    try {
      this.#health.beforeCommit();
      outcomes = this.#inTransaction(batch);
      this.#health.committed();
    } catch (error) {
      const cause = error instanceof CommitFailed ? error.cause : error;
      // A commit, a full disk and a file that is not ours any more fail whichever row they came with.
      if (error !== cause || error instanceof AppError || isFileError(error)) {
        const failed = this.#health.failed(cause);
        for (const write of batch) write.reject(failed);
      } else if (batch.length === 1) batch[0]?.reject(error);
      else for (const write of batch) this.#writeAll([write]);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome && "error" in outcome) reject(outcome.error);
      else resolve(outcome?.value);
    }
  }

  #inTransaction(batch: readonly Write[]): Outcome[] {
    this.#begin.run();
    try {
      const outcomes = batch.map(outcomeOf);
      this.#commitNow();
      return outcomes;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      this.#options.onRollback?.();
      throw error;
    }
  }

  #commitNow(): void {
    const { failPoint } = this.#options;
    try {
      failPoint?.("store.written");
      this.#commit.run();
      failPoint?.("store.committed");
    } catch (error) {
      throw new CommitFailed("the commit failed", { cause: error });
    }
  }
}

class CommitFailed extends Error {}

/** A refusal comes before anything is written, so there is nothing to take back. */
function outcomeOf({ run }: Write): Outcome {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof AppError) return { error };
    throw error;
  }
}
