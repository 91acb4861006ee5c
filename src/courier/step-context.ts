/** What the courier works with, and the context of one step on a delivery. */

import type { BlockedSession } from "../core/decision/submission.ts";
import type { FailPointHook } from "../core/delivery/fail-points.ts";
import type { Policy } from "../core/delivery/policy.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { AttachmentFiles } from "../mail/attachments/attachment-files.ts";
import type { ReadCommitter } from "../mail/read-commit.ts";
import type { TimeoutContext } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Ledger } from "../store/ledger.ts";
import type {
  Housekeeping,
  LaneStore,
  LedgerStore,
  LogStore,
  MailStore,
  TeamStore,
  UsageStore,
} from "../store/port.ts";
import type { AskRegistry } from "./ask-registry.ts";
import type { ChangedFiles, MissingFiles } from "./lane-files.ts";
import type { LaneLimits } from "./lane-limits.ts";
import type { TurnLimit, TurnLimitOptions } from "./turn-limit.ts";
import type { WakeUps } from "./watchdog.ts";

export type CourierStore = LaneStore &
  LedgerStore &
  MailStore &
  UsageStore &
  Pick<TeamStore, "team"> &
  Pick<LogStore, "onLog" | "raise"> &
  Pick<Housekeeping, "settled">;

export type CourierDeps = TimeoutContext & {
  store: CourierStore;
  ledger: Ledger;
  /** Those that are ready, by kind. */
  runtimes: ReadonlyMap<string, Runtime>;
  reads: ReadCommitter;
  attachments: Pick<AttachmentFiles, "find">;
  asks: AskRegistry;
  missingFiles: MissingFiles;
  changedFiles: ChangedFiles;
  policy: Policy;
  /** How many lanes may work on messages from a source at a time. */
  maxTurns?: TurnLimitOptions | undefined;
  runId: string;
  failPoint: FailPointHook | undefined;
  /** Receives errors that no rule covers. Failed work is retried later. */
  onError: (failure: { laneId?: string; error: unknown }) => void;
};

export type SessionMemory = {
  /** Sessions that were opened and could not be stored, as on a full disk, by lane. The next try uses them. */
  unstored: Map<string, string>;
  /** Busy sessions that block a message, by session. */
  blocked: Map<string, BlockedSession>;
};

export type StepContext = CourierDeps & {
  lane: Lane;
  sessions: SessionMemory;
  /** By delivery with a request in flight: aborts its turn before the request is answered. */
  sending: Map<string, () => void>;
  wakeUps: WakeUps;
  /** Null if no lane has a limit. */
  limits: LaneLimits | null;
  turnLimit: TurnLimit | null;
  /** Staged work becomes durable in the background; if that fails, the lane is moved again later. */
  expect: (durable: Promise<void>) => void;
  /** True while nothing may be sent, as during a drain. */
  isHeld: () => boolean;
};

/** Whether anything changed, so that the lane is worth another step immediately. */
export type StepOutcome = "moved" | "rests";

/** The head of the lane cannot be sent right now. */
export function postpone({ wakeUps, lane }: StepContext, reason: string): StepOutcome {
  wakeUps.postpone(lane.id, reason);
  return "rests";
}
