/** Where a lane's messages stand. The courier only needs to know how their read flag is committed. */
import type { DeliveryRecord } from "../core/delivery/record.ts";

export type ReadCommit =
  | { outcome: "committed" }
  /** The row was removed; nothing is left to commit, but it is reported. */
  | { outcome: "row_gone" }
  | { outcome: "failed"; error: string };

export type Mailbox = {
  /** True when reads are committed in the ledger's own transaction, but for messages that stand in inbox files. */
  readonly commitsWithLedger: boolean;
  /** A second step where it is not. Safe to repeat. */
  commitRead(record: DeliveryRecord): Promise<ReadCommit>;
};

/** Messages in the store itself. */
export const storeMailbox: Mailbox = {
  commitsWithLedger: true,
  commitRead: async () => ({ outcome: "committed" }),
};
