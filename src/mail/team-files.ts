/** The files in which the members of a team write to each other, for everybody but the transport that works on them. */
import type { TeamConfig } from "../core/inbox/team-config.ts";
import type { Notice } from "../core/lane/lane.ts";
import type { InboxFileStore, LedgerStore, LogStore, MailStore, TeamStore } from "../store/port.ts";
import type { ReadCommitter } from "./read-commit.ts";

export type { OpenHandOver } from "../store/port.ts";

/** What the transport needs of the store. */
export type TeamFileStore = TeamStore &
  InboxFileStore &
  Pick<MailStore, "message"> &
  Pick<LedgerStore, "deliveryOf"> &
  Pick<LogStore, "onLog">;

export type TeamFiles = {
  /** Rows of inbox files are flagged as read in a second step, after the proof. */
  readonly reads: ReadCommitter;
  /** Why the files of a team cannot be used, for people. */
  notices(team: string): readonly Notice[];
  /** The process of another Waybill that uses the files in a directory; null if none does. */
  holderOf(directory: string): { pid: number | null } | null;
  /** Null if there is no configuration, or none that is readable right now. */
  configIn(directory: string): Promise<TeamConfig | null>;
  /** Makes Waybill known to the agents of a session, so that they can answer it. */
  join(directory: string): Promise<void>;
  /** Resolves once everything that can be written to the team's files has been. */
  settled(team: string): Promise<void>;
};
