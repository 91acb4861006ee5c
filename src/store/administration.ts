/**
 * What the daemon and the command line do with a store as a whole: open, back up, restore and check it. Each adapter has
 * its own way; only the wiring knows which one is used.
 */
import type { AppError } from "../platform/app-error.ts";
import type { Finding } from "./port.ts";
import type { Store } from "./store.ts";

/** For fail points of tests: right before and after a commit. */
export type CommitPoint = "store.written" | "store.committed";

export type HealthEvent =
  /** Nothing more is written from here on; a person must act. */
  | { type: "distrusted"; problem: AppError }
  | { type: "rescued"; to: string }
  | { type: "rescue_failed"; error: unknown };

export type OpenOptions = {
  failPoint?: ((point: CommitPoint) => void) | undefined;
  onHealth?: (event: HealthEvent) => void;
  /** A log listener has thrown. The items are durable, and the other listeners still get them. */
  onListenerError?: (error: unknown) => void;
};

export type OpenStore = {
  store: Store;
  /** Damage was found while it is open: nothing more is written. */
  distrust(finding: Finding): void;
};

/** The process id is null for the moment before the holder has written it. */
export type LockHolder = { pid: number | null };

export type Restored = {
  /** The new path of the previous store; null if there was none. */
  keptAs: string | null;
  /** Messages that may have been sent after the backup was made; the next start looks for them before it sends. */
  toBeRebuilt: number;
};

export type StoreInspection =
  | { state: "absent" }
  | { state: "error"; error: AppError }
  | {
      state: "sound";
      version: number;
      heldBy: LockHolder | null;
      /** The latest time stored in it. */
      newestAt: number | null;
    };

export type StoreAdministration = {
  /** For people to read. */
  readonly path: string;
  /** One process at a time may have it open. */
  open(options?: OpenOptions): Promise<OpenStore>;
  /** The process that has it open. */
  holder(): LockHolder | null;
  /** Copies it, even while it is open, and checks the copy. */
  backup(to: string): Promise<void>;
  /** Goes back to a backup. Nothing may have the store open. */
  restore(from: string): Promise<Restored>;
  /** Everything that is wrong with it. */
  check(): Promise<Finding[]>;
  /** A quick look that changes nothing, even while it is open. */
  inspect(): Promise<StoreInspection>;
};

export type HeldLock = {
  /** The previous process ended without a clean release. */
  leftOpen: boolean;
  /** A clean release. */
  release(): void;
  /** Releases without vouching for the store: the next holder is as suspicious as this one was. */
  abandon(): void;
};

export type LockOutcome = { taken: true; lock: HeldLock } | { taken: false; holder: LockHolder; cause: unknown };

/** Locks that one process at a time holds, on any file, until it releases them or dies. */
export type ProcessLocks = {
  take(file: string, now: number): LockOutcome;
  /** The current holder, or null. Does not take the lock. */
  ask(file: string): LockHolder | null;
  /** What an error that was thrown says about the lock file; null if it says nothing. */
  troubleIn(error: unknown): "damaged" | "unusable" | null;
};
