/**
 * Commits what was decided, together with the mail that goes with it, and then performs what the commit allows: a send,
 * a read flag. The commit always comes first, so that a crash at any point leaves a record from which the next look can
 * go on.
 */
import type { DeliveryEvent, Effect } from "../core/delivery/delivery-event.ts";
import { sendsPrompt } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { mailFor } from "../core/delivery/replies.ts";
import { lateReconcileAt, nextReconcileAt } from "../core/delivery/schedule.ts";
import { send } from "./send.ts";
import type { StepContext, StepOutcome } from "./step-context.ts";

/** `answer` is what the agent said, to be written back to the sender. */
export async function commitEvents(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  step: StepContext,
  answer: string | null = null,
): Promise<StepOutcome> {
  const { ledger, store } = step;
  // Its date stays, so that it is due at the next start; until then the watchdog backs off. What was committed before
  // the hold is still sent: left behind unsent, it would look like a turn that runs.
  if (step.isHeld() && events.some(sendsPrompt)) return "rests";
  const applied = await ledger.commit(record.id, events, mailFor(record, events, answer, step.lane, step.clock.now()));
  if (applied.outcome === "applied") {
    await perform(applied.record, applied.effects, step);
    return "moved";
  }
  // Whoever lets the lane go on sets it going.
  if (applied.reason === "lane_paused") return "rests";
  // Somebody else was faster, as a person's stop may be: the newest record is looked at again.
  const newest = await store.delivery(record.id);
  if (newest && newest.version !== record.version) return "moved";
  throw new Error(`${events.map((event) => event.type).join(", ")} refused: ${applied.reason}`);
}

export function commitFailure(record: DeliveryRecord, reason: string, step: StepContext): Promise<StepOutcome> {
  const at = step.clock.now();
  const lookAt = record.attemptList.length > 0 ? lateReconcileAt(0, step.policy, at) : null;
  return commitEvents(record, [{ type: "failed_terminal", at, reason, observed: null, lookAt }], step);
}

/** The read that an ended delivery owes, where it is not committed together with the end. */
export async function commitRead(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const { mailbox, clock, policy } = step;
  const result = await mailbox.commitRead(record);
  const at = clock.now();
  if (result.outcome === "failed") {
    const lookAt = nextReconcileAt(record, policy, at);
    return commitEvents(record, [{ type: "read_commit_failed", at, error: result.error, lookAt }], step);
  }
  const diagnostics = result.outcome === "row_gone" ? ["mailbox_row_gone"] : [];
  return commitEvents(record, [{ type: "read_committed", at, diagnostics }], step);
}

async function perform(record: DeliveryRecord, effects: readonly Effect[], step: StepContext): Promise<void> {
  for (const effect of effects) {
    switch (effect.type) {
      case "send": {
        const event = await send(record, step.lane, effect.attempt, step);
        // Refused only when a person cancelled in between; then the next look stops the turn.
        if (event)
          await step.ledger.commit(record.id, [event], mailFor(record, [event], null, step.lane, step.clock.now()));
        break;
      }
      case "commit_read":
        await commitRead(record, step);
        break;
      default:
        effect satisfies never;
    }
  }
}
