/** Carries out what is decided for the head of a free lane. */
import { decideHead, hasExpired } from "../core/decision/submission.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { expiryMail } from "../core/delivery/replies.ts";
import { commitEvents } from "./commit-events.ts";
import { findAttempts } from "./find-attempts.ts";
import { reconcile } from "./reconcile.ts";
import type { StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";
import { submit } from "./submit.ts";

export async function takeHead(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const decision = decideHead(head, step.lane, step.clock.now());
  switch (decision) {
    case "find_attempts":
      return takeRebuilt(head, step);
    case "expire":
      return (await expire(head, step)) ? "moved" : "rests";
    case "wait":
      return "rests";
    case "reconcile":
      return reconcile(head, step);
    case "submit":
      return submit(head, step);
    default:
      return decision satisfies never;
  }
}

/** What stands in the transcripts was sent. Only what does not is as good as new. */
async function takeRebuilt(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const runtime = step.runtimes.get(step.lane.runtime);
  if (!runtime) return postpone(step, "runtime_not_active");
  const found = await findAttempts(head, { ...step, runtime });
  const at = step.clock.now();
  return commitEvents(head, [{ type: "attempts_searched", at, found, runtimeKind: runtime.kind, lookAt: at }], step);
}

/** True when it has ended now. */
export async function expire(record: DeliveryRecord, step: StepContext): Promise<boolean> {
  const { lane, clock, ledger, mailbox } = step;
  const at = clock.now();
  if (!hasExpired(record, at)) return false;
  const read = { readCommitted: mailbox.commitsWithLedger, lookAt: at };
  const applied = await ledger.commit(
    record.id,
    [{ type: "withdrawn", at, by: "sender", reason: "expired", ...read }],
    [expiryMail(record, lane, at)],
  );
  return applied.outcome === "applied";
}
