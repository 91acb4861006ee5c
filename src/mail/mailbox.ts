/** The mailbox of a lane. The courier only needs to know how read flags are committed. */
import type { DeliveryRecord } from "../core/delivery/record.ts";

export type ReadCommit =
  | { outcome: "committed" }
  /** The row was removed. Nothing is left to commit, but it is reported. */
  | { outcome: "row_gone" }
  | { outcome: "failed"; error: string };

export type Mailbox = {
  /** True if reads are committed in the ledger's own transaction, except for messages in inbox files. */
  readonly commitsWithLedger: boolean;
  /** Commits the read in a second step where the ledger did not. Safe to repeat. */
  commitRead(record: DeliveryRecord): Promise<ReadCommit>;
};

/** Messages in the store itself. */
export const storeMailbox: Mailbox = {
  commitsWithLedger: true,
  commitRead: async () => ({ outcome: "committed" }),
};
