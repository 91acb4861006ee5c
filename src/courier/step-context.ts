/**
 * A step is what the courier does with one delivery, behind its lane's gate. Here: what it takes, what it comes to.
 *
 * `take-head`, `look` and `look-aside` are the steps. In them `submit` makes the next attempt, and `commit-events`
 * makes durable whatever was decided.
 */

import type { Lane } from "../core/lane/lane.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { Ledger } from "../store/ledger.ts";
import type { AskRegistry } from "./ask-registry.ts";
import type { Hints } from "./hints.ts";
import type { LaneBackoff } from "./lane-backoff.ts";
import type { LaneLimits } from "./lane-limits.ts";
import type { MissingFiles } from "./missing-files.ts";
import type { Sender, SenderDeps } from "./sender.ts";

export type StepDeps = SenderDeps & {
  ledger: Ledger;
  mailbox: Mailbox;
  asks: AskRegistry;
  missingFiles: MissingFiles;
};

export type StepContext = StepDeps & {
  lane: Lane;
  sender: Sender;
  waits: LaneBackoff;
  limits: LaneLimits;
  hints: Hints;
  /** True once nothing is to be sent any more. */
  isHeld: () => boolean;
};

/** Whether anything changed, so that the lane is worth another step at once. */
export type StepOutcome = "moved" | "rests";

/** The head of the lane cannot be sent at this moment. */
export function postpone({ waits, lane }: StepContext, reason: string): StepOutcome {
  waits.postpone(lane.id, reason);
  return "rests";
}
