/** What the parts that work on a team's folder share. */
import type { Clock } from "../../clock.ts";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { RowForm } from "../../core/inbox/row.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import type { Team } from "../../core/team/team.ts";
import type { AskAnswer } from "../../runtimes/port.ts";
import type { Store } from "../../store/port.ts";
import type { AgentAddress, MessageAdmission } from "../admission.ts";
import type { InboxFile } from "../inbox-files/inbox-file.ts";

/** The asks that wait for a person, to which requests in files are added. */
export type FileAsks = {
  open(ask: { id: string; title: string; laneId: string; since: number }, answer: AnswerAsk): void;
  close(id: string): void;
};
export type AnswerAsk = (answer: AskAnswer) => Promise<void>;

export type FolderDeps = {
  store: Store;
  admission: MessageAdmission;
  clock: Clock;
  asks: FileAsks;
  /** Ends a delivery whose row has changed. */
  failDelivery: (record: DeliveryRecord, reason: string) => Promise<void>;
  /** A person has agreed that a member that Waybill runs is shut down. */
  shutDown: (member: { name: string; lane: string }, team: string) => Promise<void>;
  /** A member that somebody else runs has written something. */
  heard: (member: AgentAddress, at: number) => void;
  failPoint?: FailPointHook | undefined;
};

export type FolderContext = FolderDeps & {
  /** As it is now. */
  team: Team;
  /** Since when this store follows the files: what is older may have been sent by another one. */
  since: number;
  form: RowForm;
  /** What the team says of itself; null where that was never readable. */
  config: TeamConfig | null;
  /** The inbox of a member or of `user`; its file need not be there. */
  inboxOf: (name: string) => InboxFile;
};
