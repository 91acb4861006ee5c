/**
 * Whether the open store can be trusted: its file is still the one at its path, no damage was found in it, and the last
 * commit was not refused. Consulted before each commit and for /ready; commits report their results to it.
 */
import type { FSWatcher } from "node:fs";
import { rmSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { AppError } from "../../../platform/app-error.ts";
import { besideStore } from "./file-access.ts";
import { commitProblem, isDamage, storeReplaced } from "./file-errors.ts";
import type { FileIdentities } from "./file-identity.ts";
import { changedFiles, identitiesOf, isGone } from "./file-identity.ts";
import { hasRoom } from "./room.ts";

export type HealthEvent =
  /** Nothing more is written from here on; a person must act. */
  | { type: "distrusted"; problem: AppError }
  | { type: "rescued"; to: string }
  | { type: "rescue_failed"; error: unknown };

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
