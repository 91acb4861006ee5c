/**
 * A step is what the courier does with one delivery, behind its lane's gate. Here: what it takes, what it comes to.
 *
 * `take-head`, `look` and `look-aside` are the steps. In them `submit` makes the next attempt, and `commit-events`
 * makes durable whatever was decided.
 */
import type { Mailbox } from "../mail/mailbox.ts";
import type { AskBook } from "./ask-book.ts";
import type { Hints } from "./hints.ts";
import type { Lane } from "./lane.ts";
import type { Ledger } from "./ledger.ts";
import type { LimitKeeper } from "./limit-keeper.ts";
import type { MissingFiles } from "./missing-files.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import type { Sender, SenderDeps } from "./sender.ts";
import type { Waits } from "./waits.ts";

export type StepDeps = SenderDeps & {
  ledger: Ledger;
  mailbox: Mailbox;
  replies: ReplyWriter;
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
