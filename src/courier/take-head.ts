/** The head of a free lane: sent, unless something speaks against it. */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import { commitEvents } from "./commit-events.ts";
import { expire } from "./expire.ts";
import { findAttempts } from "./find-attempts.ts";
import { reconcile } from "./reconcile.ts";
import type { StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";
import { submit } from "./submit.ts";

export async function takeHead(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  if (head.acceptanceUnknown) return takeRebuilt(head, step);
  if (await expire(head, step)) return "moved";
  if (step.lane.pausedReason !== null) return "rests";
  // Sent before, and retried by a person: the old attempts may have been answered since.
  return head.attemptList.length > 0 ? reconcile(head, step) : submit(head, step);
}

/** Its record was lost: what stands in the agent's transcripts was sent, and only what does not is as new. */
async function takeRebuilt(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const runtime = step.runtimes.get(step.lane.runtime);
  if (!runtime) return postpone(step, "runtime_not_active");
  const found = await findAttempts(head, { ...step, runtime });
  const at = step.clock.now();
  return commitEvents(head, [{ type: "attempts_searched", at, found, runtimeKind: runtime.kind, lookAt: at }], step);
}
