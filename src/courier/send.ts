/** Sends an attempt that is durable, and says what became of it. What is not known is said to be unknown. */
import { AppError, messageOf } from "../app-error.ts";
import type { SubmitResult } from "../core/decision/submission.ts";
import { resultOf } from "../core/decision/submission.ts";
import type { Attempt, SubmitOutcome } from "../core/delivery/attempt.ts";
import { missingFilesOf, promptText } from "../core/delivery/prompt-text.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import { digestOf } from "../core/transcript/digest.ts";
import type { Runtime } from "../runtimes/port.ts";
import { withTimeout } from "../timeout.ts";
import { readSlice } from "./read-transcript.ts";
import type { CourierDeps } from "./step-context.ts";

/** Null when it is not to be sent any more, or when nothing is known that reconciling would not tell. Never throws. */
export async function send(
  record: DeliveryRecord,
  lane: Lane,
  attempt: Attempt,
  deps: CourierDeps,
): Promise<SubmitResult | null> {
  const { policy, clock, failPoint, runtimes, store } = deps;
  const isFollowUp = record.status === "responded" && record.turnEndedAt === null;
  if (record.status !== "submitting" && !isFollowUp) return null;
  const runtime = runtimes.get(lane.runtime);
  let outcome: SubmitOutcome = { outcome: "not_sent", reason: "runtime_not_active" };
  try {
    if (runtime) {
      const text = await promptFor(record, lane, attempt, runtime, deps);
      const { messageId, partId, sessionId } = attempt;
      // A person may have stopped it since it was committed.
      if ((await store.delivery(record.id))?.version !== record.version) return null;
      failPoint("before_send");
      outcome = await withTimeout(deps, policy.submitLimitMs, (signal) =>
        runtime.submit(lane, { messageId, partId, sessionId, text, attachments: [] }, signal),
      );
      failPoint("after_send");
    }
  } catch (error) {
    outcome = { outcome: "unknown", reason: messageOf(error) };
  }
  return resultOf(record, attempt, outcome, policy, clock.now());
}

async function promptFor(
  record: DeliveryRecord,
  lane: Lane,
  attempt: Attempt,
  runtime: Runtime,
  deps: CourierDeps,
): Promise<string> {
  const message = await deps.store.message({ kind: "lane", lane: lane.id }, record.messageId);
  if (!message) throw new AppError({ code: "message_gone", message: `Message ${record.messageId} is gone.` });
  const isFirst = attempt.prePromptCursor === null;
  return promptText({
    message,
    contract: lane.contract,
    attempt,
    missingFiles: missingFilesOf(record),
    takesIds: runtime.traits.takesIds,
    digest: isFirst ? await previousDigest(lane, attempt.generation, runtime, deps) : null,
  });
}

/** The end of the session before this one, if there was one that can be read. A repair does not fail without it. */
async function previousDigest(
  lane: Lane,
  generation: number,
  runtime: Runtime,
  deps: CourierDeps,
): Promise<string | null> {
  const { store, policy, onError } = deps;
  const previous = (await store.sessions(lane.id)).findLast((session) => session.generation < generation);
  if (!previous) return null;
  try {
    return digestOf((await readSlice(previous.sessionId, policy.readLimit, { ...deps, lane, runtime })).rows);
  } catch (error) {
    onError({ laneId: lane.id, error });
    return null;
  }
}
