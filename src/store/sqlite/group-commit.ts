/**
 * Many lanes move at once; a commit is what costs. All writes that were asked for in one turn of the event loop go
 * into one transaction, each behind a savepoint, so that one that fails harms no other. Nobody hears of success
 * before the batch is durable.
 */
import type Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import { isDiskError, storeUnwritable } from "./file/file-errors.ts";

type Write = { run: () => unknown; resolve: (value: unknown) => void; reject: (error: unknown) => void };
type Outcome = { write: Write } & ({ value: unknown } | { error: unknown });

const maxInABatch = 500;

export type CommitPoint = "store.written" | "store.committed";

export class GroupCommit {
  readonly #db: Database.Database;
  readonly #failPoint: (point: CommitPoint) => void;
  readonly #listeners = new Set<() => void>();
  #waiting: Write[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(db: Database.Database, failPoint: (point: CommitPoint) => void) {
    this.#db = db;
    this.#failPoint = failPoint;
  }

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
    let outcomes: Outcome[];
    try {
      outcomes = this.#commit(batch);
    } catch (error) {
      const failed = storeUnwritable(error);
      for (const write of batch) write.reject(failed);
      return;
    }
    for (const outcome of outcomes) {
      if ("error" in outcome) outcome.write.reject(outcome.error);
      else outcome.write.resolve(outcome.value);
    }
    for (const listener of this.#listeners) listener();
  }

  #commit(batch: readonly Write[]): Outcome[] {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const outcomes = batch.map((write) => this.#inSavepoint(write));
      this.#failPoint("store.written");
      this.#db.exec("COMMIT");
      this.#failPoint("store.committed");
      return outcomes;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #inSavepoint(write: Write): Outcome {
    this.#db.exec("SAVEPOINT one");
    try {
      const value = write.run();
      this.#db.exec("RELEASE one");
      return { write, value };
    } catch (error) {
      // A full disk fails the batch, not the row; SQLite may have taken back the whole transaction by itself then.
      if (!this.#db.inTransaction || isDiskError(error)) throw error;
      this.#db.exec("ROLLBACK TO one; RELEASE one");
      return { write, error };
    }
  }
}
