/** The context that the parts working on a team's folder share. */

import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { RowForm } from "../../core/inbox/row.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import type { Team } from "../../core/team/team.ts";
import type { Clock } from "../../platform/clock.ts";
import type { AskAnswer } from "../../runtimes/port.ts";
import type { InboxFileStore, LedgerStore, LogStore, MailStore, TeamStore } from "../../store/port.ts";
import type { AgentAddress, MessageAdmission } from "../admission.ts";
import type { InboxFile } from "../inbox-files/inbox-file.ts";

/** The registry of asks that wait for a person. Requests in inbox files are added to it. */
export type FileAsks = {
  open(ask: FileAsk, answer: AnswerAsk): void;
  close(id: string): void;
};
/** `tool` and `input` are null for a request that is not about a tool; `detail` is the content of the row. */
export type FileAsk = {
  id: string;
  title: string;
  laneId: string;
  since: number;
  tool: string | null;
  input: unknown;
  detail: unknown;
};
export type AnswerAsk = (answer: AskAnswer) => Promise<void>;

export type FolderDeps = {
  store: TeamStore &
    InboxFileStore &
    Pick<MailStore, "message"> &
    Pick<LedgerStore, "deliveryOf"> &
    Pick<LogStore, "onLog">;
  admission: MessageAdmission;
  clock: Clock;
  asks: FileAsks;
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
