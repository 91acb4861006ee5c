/** Where a lane's messages stand, as far as the courier needs to know: how their read is committed. */
import type { DeliveryRecord } from "../core/delivery/record.ts";

export type ReadCommit =
  | { outcome: "committed" }
  /** The row is not there any more; nothing is left to be done, and it is worth a remark. */
  | { outcome: "row_gone" }
  | { outcome: "failed"; error: string };

export type Mailbox = {
  /** True where the read is committed in the ledger's own transaction, so that no crash can come between. */
  readonly commitsWithLedger: boolean;
  /** The second step, where there is one. Safe to repeat. */
  commitRead(record: DeliveryRecord): Promise<ReadCommit>;
};

/** Messages that stand in the store itself. */
export const storeMailbox: Mailbox = {
  commitsWithLedger: true,
  commitRead: async () => ({ outcome: "committed" }),
};
