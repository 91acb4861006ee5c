/** How the read of a lane's message is committed: with the ledger, or in a second step. */
import type { DeliveryRecord } from "../core/delivery/record.ts";

export type ReadCommit =
  | { outcome: "committed" }
  /** The row was removed. Nothing is left to commit, but it is reported. */
  | { outcome: "row_gone" }
  | { outcome: "failed"; error: string };

export type ReadCommitter = {
  /** True if reads are committed in the ledger's own transaction, except for messages in inbox files. */
  readonly commitsWithLedger: boolean;
  /** Commits the read in a second step where the ledger did not. Safe to repeat. */
  commitRead(record: DeliveryRecord): Promise<ReadCommit>;
};

/** For messages in the store itself. */
export const storeReads: ReadCommitter = {
  commitsWithLedger: true,
  commitRead: async () => ({ outcome: "committed" }),
};
