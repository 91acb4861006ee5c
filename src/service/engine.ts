/** The running parts that the service works with, composed at start. */

import type { Policy } from "../core/delivery/policy.ts";
import type { AskRegistry } from "../courier/ask-registry.ts";
import type { Courier } from "../courier/courier.ts";
import type { Drained } from "../courier/drain.ts";
import type { Recorder } from "../events/recorder.ts";
import type { MessageAdmission } from "../mail/admission.ts";
import type { AgentTokens } from "../mail/agent-tokens.ts";
import type { AttachmentFiles } from "../mail/attachments/attachment-files.ts";
import type { TeamFiles } from "../mail/team-files.ts";
import type { Interventions } from "../operator/interventions.ts";
import type { MemberStates } from "../operator/member-states.ts";
import type { Clock } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Ledger } from "../store/ledger.ts";
import type {
  Housekeeping,
  InboxFileStore,
  LaneStore,
  LedgerStore,
  LogStore,
  MailStore,
  StatsStore,
  TeamStore,
  UsageStore,
} from "../store/port.ts";

export type Engine = {
  store: LaneStore &
    TeamStore &
    InboxFileStore &
    LedgerStore &
    MailStore &
    LogStore &
    UsageStore &
    StatsStore &
    Pick<Housekeeping, "probe" | "settled">;
  ledger: Ledger;
  admission: MessageAdmission;
  attachments: AttachmentFiles;
  courier: Courier;
  interventions: Interventions;
  teamFiles: TeamFiles;
  asks: AskRegistry;
  recorder: Recorder;
  memberStates: MemberStates;
  tokens: AgentTokens;
  policy: Policy;
  clock: Clock;
  /** Those that are ready, by kind. */
  runtimes: ReadonlyMap<string, Runtime>;
  /** Removes old, finished records by the policy's retention, and attachments that no message names. */
  prune(): Promise<number>;
  /** Stops sending from now on, and waits for running turns; `close` must follow. */
  drain(deadlineMs: number, hurry: AbortSignal): Promise<Drained>;
  /** With `keepAgents`, started agent programs keep running, and the next run takes them over. */
  close(options?: { keepAgents: boolean }): Promise<void>;
};
