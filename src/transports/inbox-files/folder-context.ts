/** The context that the parts working on a team's folder share. */

import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { RowForm } from "../../core/inbox/row.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import type { Team } from "../../core/team/team.ts";
import type { AskRegistry } from "../../courier/ask-registry.ts";
import type { AgentAddress, MessageAdmission } from "../../mail/admission.ts";
import type { TeamFileStore } from "../../mail/team-files.ts";
import type { Clock } from "../../platform/clock.ts";
import type { InboxFile } from "./file/inbox-file.ts";

export type FolderDeps = {
  store: TeamFileStore;
  admission: MessageAdmission;
  clock: Clock;
  /** Requests in inbox files are added to the asks that wait for a person. */
  asks: Pick<AskRegistry, "askedElsewhere" | "answered">;
  /** Ends a delivery whose row has changed. */
  failDelivery: (record: DeliveryRecord, reason: string) => Promise<void>;
  /** A person approved shutting down a member that Waybill runs. */
  shutDown: (member: { name: string; lane: string }, team: string) => Promise<void>;
  /** A member that Waybill does not run has written something. */
  heard: (member: AgentAddress, at: number) => void;
  failPoint?: FailPointHook | undefined;
};

export type FolderContext = FolderDeps & {
  /** Its current state. */
  team: Team;
  /** Since when this store follows the files. Another store may have sent anything older. */
  since: number;
  form: RowForm;
  /** The team's own configuration; null if it was never readable. */
  config: TeamConfig | null;
  /** The inbox of a member or of `user`; its file need not exist. */
  inboxOf: (name: string) => InboxFile;
};
