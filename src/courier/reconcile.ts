/** Reconciles a delivery that was sent: reads what there is to see, gets a decision, and carries it out. */

import { decide } from "../core/decision/decide.ts";
import type { DestinationReply } from "../core/decision/decision.ts";
import { afterFileCheck } from "../core/decision/follow-up.ts";
import { hasExpired } from "../core/decision/submission.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding, isOwed, readsWithLedger } from "../core/delivery/record.ts";
import { expiryMail } from "../core/delivery/texts.ts";
import { sendsPrompt } from "../core/delivery/transition.ts";
import { isPaused } from "../core/lane/lane.ts";
import type { Mail } from "../core/message/message.ts";
import { isSameAddress, nameIn, replyAddress, replyOutcomes } from "../core/message/message.ts";
import { dependsOnRequest } from "../core/proof/acknowledgement.ts";
import { intentOf, judgeReply } from "../core/proof/sufficiency.ts";
import { abortTurn } from "./abort-turn.ts";
import { commitEvents, commitFailure, commitRead, mailContext } from "./commit-events.ts";
import { readObservation, requestText } from "./read-transcript.ts";
import type { CourierDeps, StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";
import { submit } from "./submit.ts";

export async function reconcile(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const { lane } = step;
  const ended = record.status === "responded" || record.status === "cancelled";
  if (ended && record.readCommittedAt === null) return commitRead(record, step);
  if (record.claims !== null) return checkFiles(record, record.claims.names, step);
  if (record.runtimeKind !== null && record.runtimeKind !== lane.runtime && record.status !== "failed_terminal") {
    return leaveBehind(record, ended, step);
  }
  return reconcileTranscript(record, step);
}

async function reconcileTranscript(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const { lane, limits, policy, clock, reads, runtimes } = step;
  const runtime = runtimes.get(record.runtimeKind ?? lane.runtime);
  const replies = await step.store.repliesTo(record.messageId, lane.id);
  const observation = await readObservation(record, { ...step, runtime, replies });
  const decision = decide({
    record,
    observation,
    reply: await destinationReply(record, replies, step),
    contract: lane.contract,
    traits: runtime?.traits ?? unknownTraits,
    policy,
    readCommitsWithLedger: readsWithLedger(record, reads),
    paused: isPaused(lane),
    now: clock.now(),
  });
  switch (decision.do) {
    case "nothing":
      return record.status === "pending" ? postpone(step, observation.reason ?? observation.state) : "rests";
    case "submit":
      return submit(record, step);
    case "commit": {
      // Sending the same ids again may cost as much as before. On the next step, the paused lane only waits.
      if (decision.events.some(sendsPrompt) && (await limits?.stops(lane))) return "moved";
      // Paused before its end is durable, so that the next message does not run into the same problem.
      if (decision.pause && !isPaused(lane)) await step.store.pauseLane(lane.id, decision.pause);
      const progress = await commitEvents(record, decision.events, step, decision.answer, decision.remark);
      if (decision.abort && record.runtimeSessionId !== null) await abortTurn(lane, record.runtimeSessionId, step);
      return progress;
    }
    default:
      return decision satisfies never;
  }
}

/** A hint does not make a file appear: the checks follow their own schedule. */
async function checkFiles(record: DeliveryRecord, names: readonly string[], step: StepContext): Promise<StepOutcome> {
  const { lane, missingFiles, policy, clock } = step;
  if ((record.nextReconcileAt ?? 0) > clock.now()) return "rests";
  const missing = await missingFiles(lane.directory, names);
  const now = clock.now();
  return commitEvents(record, [afterFileCheck({ record, missing, contract: lane.contract, policy, now })], step);
}

/** The lane has moved to another runtime; messages sent through the old one are not carried over. */
function leaveBehind(record: DeliveryRecord, ended: boolean, step: StepContext): Promise<StepOutcome> {
  return ended
    ? commitEvents(record, [{ type: "turn_ended", at: step.clock.now() }], step)
    : commitFailure(record, "recipient_runtime_identity_changed", step);
}

/** The strongest proof: the answer is at its destination, comes from this lane, and names the message. */
async function destinationReply(
  record: DeliveryRecord,
  written: readonly Mail[],
  step: StepContext,
): Promise<DestinationReply | null> {
  const destination = replyAddress(record);
  const intent = intentOf(record);
  const replies = written.filter(({ recipient }) => isSameAddress(recipient, destination)).map(asReply);
  const request = replies.some(({ text }) => dependsOnRequest(text)) ? await requestText(record, step) : null;
  const judged = replies.map((reply) => ({ ...reply, request }));
  return judged.find((reply) => judgeReply(reply, intent).sufficient) ?? judged.at(-1) ?? null;
}

function asReply(mail: Mail): DestinationReply {
  const outcome = replyOutcomes.find((one) => one === mail.outcome) ?? null;
  return { messageId: mail.id, mailbox: nameIn(mail.recipient), text: mail.text, summary: mail.summary, outcome };
}

/** Without its runtime nothing can be read, so these values decide nothing. */
const unknownTraits = { takesIds: true, sendingAgain: "swallowed", attachments: [], takesSystem: false } as const;

/** For a delivery that is due without holding its lane: expiry, late proof, an owed read. */
export async function reconcileDetached(record: DeliveryRecord, step: StepContext): Promise<void> {
  if (record.status === "pending") await expire(record, step);
  else if (record.status === "failed_terminal" || owesAside(record)) await reconcile(record, step);
}

/** Its lane has been removed: there is nothing left to read. */
export async function reconcileWithoutLane(record: DeliveryRecord, { ledger, clock }: CourierDeps): Promise<void> {
  const at = clock.now();
  if (record.claims !== null) {
    await ledger.commit(record.id, [{ type: "files_checked", at, missing: [], next: null, reconcileAt: at }]);
  } else if (record.status === "failed_terminal") {
    const nothing = { observed: null, found: false, missed: false, reconcileAt: null };
    await ledger.commit(record.id, [{ type: "reconciled", at, reason: "lane_removed", ...nothing }]);
  }
}

/** Due, and blocking nothing: its lane is free or held by another delivery. */
function owesAside(record: DeliveryRecord): boolean {
  return (isOwed(record) || record.claims !== null) && !isOutstanding(record);
}

/** True if it has now ended. */
export async function expire(record: DeliveryRecord, step: StepContext): Promise<boolean> {
  const { clock, ledger, reads } = step;
  const at = clock.now();
  if (!hasExpired(record, at)) return false;
  const read = { readCommitted: readsWithLedger(record, reads), reconcileAt: at };
  const applied = await ledger.commit(
    record.id,
    [{ type: "withdrawn", at, by: "sender", reason: "expired", ...read }],
    expiryMail(record, await mailContext(record, step)),
  );
  return applied.outcome === "applied";
}
