/**
 * A step is what the courier does with one delivery, behind its lane's gate. Here: what it takes, what it comes to.
 *
 * `take-head`, `look` and `look-aside` are the steps. In them `submit` makes the next attempt, and `commit-events`
 * makes durable whatever was decided.
 */

import type { Lane } from "../core/lane/lane.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { Ledger } from "../store/ledger.ts";
import type { AskBook } from "./ask-registry.ts";
import type { Hints } from "./hints.ts";
import type { Waits } from "./lane-backoff.ts";
import type { LimitKeeper } from "./lane-limits.ts";
import type { MissingFiles } from "./missing-files.ts";
import type { Sender, SenderDeps } from "./sender.ts";

export type StepDeps = SenderDeps & {
  ledger: Ledger;
  mailbox: Mailbox;
  asks: AskBook;
  missingFiles: MissingFiles;
};

export type Step = StepDeps & {
  lane: Lane;
  sender: Sender;
  waits: Waits;
  limits: LimitKeeper;
  hints: Hints;
  /** True once nothing is to be sent any more. */
  isHeld: () => boolean;
};

/** Whether anything changed, so that the lane is worth another step at once. */
export type Progress = "moved" | "rests";

/** The head of the lane cannot be sent at this moment. */
export function postpone({ waits, lane }: Step, reason: string): Progress {
  waits.postpone(lane.id, reason);
  return "rests";
}
