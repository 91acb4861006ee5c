/**
 * Whether the open store can be trusted: its file is still the one at its path, no damage was found in it, and the last
 * commit was not refused. Consulted before each commit and for /ready; commits report their results to it.
 */
import type { FSWatcher } from "node:fs";
import { closeSync, fsyncSync, openSync, rmSync, statSync, watch, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { AppError } from "../../../platform/app-error.ts";
import type { HealthEvent } from "../../administration.ts";
import { besideStore, realStorePath } from "./file-access.ts";
import { commitProblem, isDamage, isDiskError, storeReplaced } from "./file-errors.ts";

/** Device and inode by path, for the store and the files that SQLite keeps next to it. */
type FileIdentities = ReadonlyMap<string, string>;

const gone = "gone";

type OpenStore = {
  /** The configured path, and the file it resolved to. */
  path: string;
  real: string;
  identities: FileIdentities;
  /** Copies the content through the open descriptors, and returns the path of the copy. */
  copy: () => Promise<string>;
};

/** The interval between comparisons before commits. Anything committed in between is in the copy. */
const compareEveryMs = 50;

export class StoreHealth {
  readonly #onEvent: (event: HealthEvent) => void;
  #open: OpenStore | null = null;
  #watcher: FSWatcher | null = null;
  #distrust: AppError | null = null;
  #refusal: AppError | null = null;
  #rescue: Promise<boolean> | null = null;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(onEvent: (event: HealthEvent) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  /** From here on, the open file is compared with its path. */
  opened({ path, real, copy }: Omit<OpenStore, "identities">): void {
    this.#open = { path, real, copy, identities: identitiesOf(path, real) };
    this.#watcher = watchDirectory(dirname(real), () => this.#compare());
  }

  /** Throws if nothing may be written any more. */
  beforeCommit(): void {
    if (performance.now() - this.#comparedAt >= compareEveryMs) this.#compare();
    if (this.#distrust) throw this.#distrust;
  }

  committed(): void {
    this.#refusal = null;
  }

  /** A commit failed, or something could not be read. Returns the error for the caller. */
  failed(error: unknown): AppError {
    const problem = commitProblem(this.#open?.path ?? "", error);
    if (isDamage(error)) this.distrust(problem);
    // A removed file may show up as a disk error.
    else this.#compare();
    if (this.#distrust) return this.#distrust;
    this.#refusal = problem;
    return problem;
  }

  /**
   * Throws unless a message is expected to fit. After a refused commit this needs room for a large one: a small write
   * may still fit into space that the log has already allocated.
   */
  expectRoom(): void {
    this.#compare();
    if (this.#distrust) throw this.#distrust;
    if (this.#refusal && this.#open && !hasRoom(this.#open.real)) throw this.#refusal;
  }

  /** Keeps the first reason; the ones that follow from it are not reported. */
  distrust(problem: AppError): void {
    if (this.#distrust) return;
    this.#distrust = problem;
    this.#onEvent({ type: "distrusted", problem });
  }

  /** Resolves once the copy of a removed store is complete. The caller closes the store after that. */
  async close(): Promise<void> {
    this.#watcher?.close();
    if (!this.#rescue) return;
    // The disk may have been full at the first try.
    if (!(await this.#rescue) && !(await this.#save())) return;
    this.#removeOldLog();
  }

  #compare(): void {
    this.#comparedAt = performance.now();
    if (!this.#open || this.#rescue) return;
    const [changed] = changedFiles(this.#open.identities);
    if (changed === undefined) return;
    this.distrust(storeReplaced(this.#open.path, changed));
    this.#rescue = this.#save();
  }

  async #save(): Promise<boolean> {
    if (!this.#open) return false;
    try {
      this.#onEvent({ type: "rescued", to: await this.#open.copy() });
      this.#removeOldLog();
      return true;
    } catch (error) {
      this.#onEvent({ type: "rescue_failed", error });
      return false;
    }
  }

  /**
   * SQLite would take our log for the log of the file that replaced ours. If no file is there, the log stays, because
   * the file may be put back.
   */
  #removeOldLog(): void {
    if (!this.#open) return;
    const { path, real, identities } = this.#open;
    const changed = changedFiles(identities);
    if (!changed.includes(path) || isGone(path)) return;
    for (const file of besideStore.map((suffix) => `${real}${suffix}`)) {
      if (!changed.includes(file)) rmSync(file, { force: true });
    }
  }
}

/** Null if the system has no watch available; the comparisons before commits remain. */
function watchDirectory(directory: string, onChange: () => void): FSWatcher | null {
  try {
    // Every write to the log is a "change"; created and removed names are a "rename".
    const watcher = watch(directory, { persistent: false }, (type) => type === "rename" && onChange());
    return watcher.on("error", () => watcher.close());
  } catch {
    return null;
  }
}

/** `path` is resolved through its links each time; `real` is what it resolved to when the store was opened. */
function identitiesOf(path: string, real = realStorePath(path)): FileIdentities {
  const files = [path, ...besideStore.map((suffix) => `${real}${suffix}`)];
  return new Map(files.map((file) => [file, identityOf(file) ?? gone]));
}

/** The files that have changed. */
function changedFiles(before: FileIdentities): string[] {
  return [...before].flatMap(([file, identity]) => (isStill(file, identity) ? [] : [file]));
}

function isGone(file: string): boolean {
  return identityOf(file) === gone;
}

function isStill(file: string, identity: string): boolean {
  const now = identityOf(file);
  return now === null || now === identity;
}

/** Null if unknown: an inaccessible directory says nothing about the file in it. */
function identityOf(file: string): string | null {
  try {
    // Some filesystems have inode numbers that a plain number would round.
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    return /^(ENOENT|ENOTDIR|ELOOP)$/.test((error as NodeJS.ErrnoException).code ?? "") ? gone : null;
  }
}

const neededBytes = 1024 * 1024;

/** Whether there is room for a large message, and what SQLite writes with it. Tests by writing, because the free space that a filesystem reports is not always available. */
function hasRoom(path: string): boolean {
  const file = `${path}.room`;
  try {
    const descriptor = openSync(file, "w", 0o600);
    try {
      return writeSync(descriptor, Buffer.alloc(neededBytes, 1)) === neededBytes && sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isDiskError(error)) return false;
    // A commit will show whether the store itself can be written.
    return true;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Some filesystems only report here that there is no room. */
function sync(descriptor: number): true {
  fsyncSync(descriptor);
  return true;
}

type Method = (...args: unknown[]) => unknown;

/** Turns damage that a read or write of the store meets into a readable error, and remembers it. */
export function reportDamage<T extends object>(store: T, health: StoreHealth): T {
  const told = (error: unknown): never => {
    throw isDamage(error) ? health.failed(error) : error;
  };
  const reporting =
    (method: Method): Method =>
    (...args) => {
      try {
        const result = method(...args);
        return result instanceof Promise ? result.catch(told) : result;
      } catch (error) {
        return told(error);
      }
    };
  const methods = Object.entries(store as Record<string, Method>).map(([name, method]) => [name, reporting(method)]);
  return Object.fromEntries(methods) as T;
}
