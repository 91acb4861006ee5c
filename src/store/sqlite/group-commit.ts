/**
 * Many lanes move concurrently, and commits are expensive. All writes in one turn of the event loop form one
 * transaction: each write runs immediately, so that the next one sees it, and all become durable together at the end of
 * the turn. A write that fails is rolled back alone.
 */
import type Database from "better-sqlite3";
import { AppError } from "../../platform/app-error.ts";
import type { CommitPoint } from "../administration.ts";
import type { Staged } from "../port.ts";
import { isFileError } from "./file/file-errors.ts";
import type { StoreHealth } from "./file/store-health.ts";

export type GroupCommitOptions = {
  failPoint?: ((point: CommitPoint) => void) | undefined;
  /** A write was rolled back, so caches of it are wrong. */
  onRollback?: () => void;
  /** The transaction is durable; its writers are notified next. */
  onCommit?: () => void;
};

type Batch = {
  durable: Promise<void>;
  resolve: () => void;
  reject: (error: AppError) => void;
  /** The whole transaction was rolled back; nothing more is written in this turn. */
  failure: AppError | null;
  flush: NodeJS.Immediate;
};

export class GroupCommit {
  readonly #db: Database.Database;
  readonly #health: StoreHealth;
  readonly #options: GroupCommitOptions;
  readonly #statements: Record<"begin" | "commit" | "savepoint" | "release" | "undo", Database.Statement<[]>>;
  #batch: Batch | null = null;
  #closed = false;

  constructor(db: Database.Database, health: StoreHealth, options: GroupCommitOptions = {}) {
    this.#db = db;
    this.#health = health;
    this.#options = options;
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      savepoint: db.prepare("SAVEPOINT one_write"),
      release: db.prepare("RELEASE one_write"),
      undo: db.prepare("ROLLBACK TO one_write"),
    };
  }

  /** Resolves once it is durable. */
  async write<T>(run: () => T): Promise<T> {
    const { result, durable } = this.stage(run);
    await durable;
    return result;
  }

  /** Throws what `run` throws; then nothing of it was written. */
  stage<T>(run: () => T): Staged<T> {
    const batch = this.#begun();
    const { savepoint, release } = this.#statements;
    try {
      savepoint.run();
      const result = run();
      release.run();
      return { result, durable: batch.durable };
    } catch (error) {
      this.#takeBack(batch, error);
      throw batch.failure ?? error;
    }
  }

  /** Resolves once everything written so far is durable; null if it already is. */
  get pending(): Promise<void> | null {
    return this.#batch?.durable ?? null;
  }

  /** Makes all writes durable; later ones are refused. */
  close(): void {
    this.#closed = true;
    this.#flush();
  }

  #begun(): Batch {
    if (this.#closed) throw new AppError({ code: "store_closed", message: "The store is closed." });
    const batch = this.#batch ?? this.#begin();
    if (batch.failure) throw batch.failure;
    return batch;
  }

  #begin(): Batch {
    const { promise: durable, resolve, reject } = withResolvers();
    // Each writer has its own promise derived from this one.
    durable.catch(() => {});
    const batch: Batch = { durable, resolve, reject, failure: null, flush: setImmediate(() => this.#flush()) };
    this.#batch = batch;
    try {
      this.#health.beforeCommit();
      this.#statements.begin.run();
    } catch (error) {
      this.#fail(batch, error);
    }
    return batch;
  }

  /** A full disk, or a file that is no longer ours, fails the whole transaction. */
  #takeBack(batch: Batch, error: unknown): void {
    if (isFileError(error) || !this.#db.inTransaction) return this.#fail(batch, error);
    const { undo, release } = this.#statements;
    undo.run();
    release.run();
    this.#options.onRollback?.();
  }

  #fail(batch: Batch, error: unknown): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    batch.failure = this.#health.failed(error);
    this.#options.onRollback?.();
    batch.reject(batch.failure);
  }

  #flush(): void {
    const batch = this.#batch;
    if (!batch) return;
    clearImmediate(batch.flush);
    const { failPoint, onCommit } = this.#options;
    if (!batch.failure) {
      try {
        failPoint?.("store.written");
        this.#statements.commit.run();
        failPoint?.("store.committed");
      } catch (error) {
        this.#fail(batch, error);
      }
    }
    this.#batch = null;
    if (batch.failure) return;
    this.#health.committed();
    batch.resolve();
    onCommit?.();
  }
}

function withResolvers() {
  let [resolve, reject]: [() => void, (error: AppError) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
