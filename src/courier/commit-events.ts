/**
 * Commits a decision together with its mail, and then performs its effects: a send, a read flag. The commit always
 * comes first, so that a crash at any point leaves a record from which the next reconcile can continue.
 */

import type { Remark } from "../core/decision/decision.ts";
import { resultOf, resultOfStopped } from "../core/decision/submission.ts";
import type { Attempt, SubmitOutcome } from "../core/delivery/attempt.ts";
import type { DeliveryEvent, Effect, OutgoingMail } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { lateReconcileAt, nextReconcileAt } from "../core/delivery/schedule.ts";
import type { MailContext } from "../core/delivery/texts.ts";
import { failuresIn, mailFor, missingFilesOf, promptText, remarkMail } from "../core/delivery/texts.ts";
import { sendsPrompt } from "../core/delivery/transition.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Message } from "../core/message/message.ts";
import { replyAddress, senderOf } from "../core/message/message.ts";
import { canonicalName } from "../core/team/team.ts";
import { digestOf } from "../core/transcript/transcript.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { sleep, withTimeout } from "../platform/clock.ts";
import type { Prompt, Runtime } from "../runtimes/port.ts";
import type { LaneStore, TeamStore } from "../store/port.ts";
import { abortTurn } from "./abort-turn.ts";
import { noFiles, promptFiles } from "./prompt-files.ts";
import { readSlice } from "./read-transcript.ts";
import type { CourierDeps, StepContext, StepOutcome } from "./step-context.ts";

/** `answer` is the agent's answer, to be passed on to the sender; `remark` is something it said that closes nothing. */
export async function commitEvents(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  step: StepContext,
  answer: string | null = null,
  remark: Remark | null = null,
): Promise<StepOutcome> {
  const { ledger, store } = step;
  // Its time stays, so that it is due at the next start; until then the watchdog backs off. Events committed before
  // the hold are still sent: left unsent, they would look like a running turn.
  if (step.isHeld() && events.some(sendsPrompt)) return "rests";
  const mail = await mailAbout(record, events, step, answer, remark);
  const { result: applied, durable } = await ledger.stage(record.id, events, mail);
  if (applied.outcome === "applied") {
    // The lane continues with the decision; only what leaves Waybill waits for durability.
    if (applied.effects.length === 0) step.expect(durable);
    else {
      await durable;
      await perform(applied.record, applied.effects, step);
    }
    return "moved";
  }
  // The person who resumes the lane also moves it.
  if (applied.reason === "lane_paused") return "rests";
  // Something else was faster, such as a person's stop: the newest record is reconciled again.
  const newest = await store.delivery(record.id);
  if (newest && newest.version !== record.version) return "moved";
  throw new Error(`${events.map((event) => event.type).join(", ")} refused: ${applied.reason}`);
}

/** What is needed to write to the sender of a delivery: an agent gets its mail in its own lane. */
export async function mailContext(
  record: DeliveryRecord,
  { lane, store, policy, clock }: Pick<StepContext, "lane" | "policy" | "clock"> & { store: Pick<LaneStore, "lane"> },
): Promise<MailContext> {
  const to = replyAddress(record);
  const replyLane = to.kind === "lane" ? await store.lane(to.lane) : null;
  return { lane, replyLane, policy, at: clock.now() };
}

/** The mail that its sender gets. */
async function mailAbout(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  step: StepContext,
  answer: string | null,
  remark: Remark | null,
): Promise<OutgoingMail[]> {
  if (answer === null && remark === null && failuresIn(events).length === 0) return [];
  const context = await mailContext(record, step);
  const remarks = remark ? remarkMail(record, remark, context) : [];
  return [...remarks, ...mailFor(record, events, answer, context)];
}

export function commitFailure(record: DeliveryRecord, reason: string, step: StepContext): Promise<StepOutcome> {
  const at = step.clock.now();
  const reconcileAt = record.attemptList.length > 0 ? lateReconcileAt(0, step.policy, at) : null;
  return commitEvents(record, [{ type: "failed_terminal", at, reason, observed: null, reconcileAt }], step);
}

/** The read that an ended delivery owes, if it is not committed together with the end. */
export async function commitRead(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const { reads, clock, policy } = step;
  const result = await reads.commitRead(record);
  const at = clock.now();
  if (result.outcome === "failed") {
    const reconcileAt = nextReconcileAt(record, policy, at);
    return commitEvents(record, [{ type: "read_commit_failed", at, error: result.error, reconcileAt }], step);
  }
  const diagnostics = result.outcome === "row_gone" ? ["mailbox_row_gone"] : [];
  return commitEvents(record, [{ type: "read_committed", at, diagnostics }], step);
}

async function perform(record: DeliveryRecord, effects: readonly Effect[], step: StepContext): Promise<void> {
  for (const effect of effects) {
    switch (effect.type) {
      case "send": {
        const outcome = await send(record, effect.attempt, step);
        if (outcome) await commitResult(record, effect.attempt, outcome, step);
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

/**
 * The outcome of the request. If a person stopped the delivery in the meantime, it shows whether its turn may still
 * begin.
 */
async function commitResult(
  record: DeliveryRecord,
  attempt: Attempt,
  outcome: SubmitOutcome,
  step: StepContext,
): Promise<void> {
  const { ledger, store, policy, clock } = step;
  const at = clock.now();
  const event = resultOf(record, attempt, outcome, policy, at);
  if (!event) return;
  const { result, durable } = await ledger.stage(
    record.id,
    [event],
    await mailAbout(record, [event], step, null, null),
  );
  step.expect(durable);
  if (result.outcome === "applied") return;
  const newest = await store.delivery(record.id);
  const stopped = newest && resultOfStopped(newest, attempt, outcome, at);
  if (stopped) step.expect((await ledger.stage(record.id, [stopped])).durable);
}

/** Null if it must no longer be sent. Never throws. */
async function send(record: DeliveryRecord, attempt: Attempt, step: StepContext): Promise<SubmitOutcome | null> {
  const { lane, failPoint, runtimes, store } = step;
  const isFollowUp = record.status === "responded" && record.turnEndedAt === null;
  if (record.status !== "submitting" && !isFollowUp) return null;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return { outcome: "not_sent", reason: "runtime_not_active" };
  try {
    const message = await store.message({ kind: "lane", lane: lane.id }, record.messageId);
    if (!message)
      throw new AppError({ code: "message_gone", message: `Message ${record.messageId} no longer exists.` });
    const isAlone = message.attachments.length === 0;
    const attached = isAlone ? noFiles : await promptFiles(message, attempt.kind, runtime, step.attachments);
    if (attached.outcome === "impossible") return { outcome: "not_sent", reason: attached.reason };
    const words = await promptFor({ record, message, lane, attempt, runtime }, step);
    const { messageId, partId, sessionId } = attempt;
    // A person may have stopped it since it was committed.
    if ((await store.delivery(record.id))?.version !== record.version) {
      return { outcome: "not_sent", reason: "stopped_before_it_was_sent" };
    }
    failPoint?.("before_send");
    const prompt = { messageId, partId, sessionId, ...words, attachments: attached.files };
    const outcome = await submitUnlessStopped(record.id, prompt, { ...lane, ...attempt.choice }, runtime, step);
    failPoint?.("after_send");
    return outcome;
  } catch (error) {
    return { outcome: "unknown", reason: messageOf(error) };
  }
}

/** The program may work on a prompt before it answers the request, so a stop does not wait for that. */
async function submitUnlessStopped(
  deliveryId: string,
  prompt: Prompt,
  lane: Lane,
  runtime: Runtime,
  step: StepContext,
): Promise<SubmitOutcome> {
  const { sending, policy } = step;
  const answered = new AbortController();
  let aborted: Promise<void> | null = null;
  sending.set(deliveryId, () => {
    aborted ??= abortUntil(answered.signal, lane, prompt.sessionId, step);
  });
  try {
    return await withTimeout(step, policy.submitLimitMs, (signal) => runtime.submit(lane, prompt, signal));
  } finally {
    sending.delete(deliveryId);
    answered.abort();
    await aborted;
  }
}

/** Repeats the abort, because the prompt may arrive between two of them. */
async function abortUntil(answered: AbortSignal, lane: Lane, sessionId: string, step: StepContext): Promise<void> {
  const { clock, policy } = step;
  while (!answered.aborted) {
    await abortTurn(lane, sessionId, step);
    await sleep(clock, policy.rereadMs, answered);
  }
}

type PromptParts = { record: DeliveryRecord; message: Message; lane: Lane; attempt: Attempt; runtime: Runtime };

async function promptFor(
  { record, message, lane, attempt, runtime }: PromptParts,
  deps: CourierDeps,
): Promise<Pick<Prompt, "text" | "system">> {
  const isFirst = attempt.prePromptCursor === null;
  const text = promptText({
    message,
    contract: lane.contract,
    attempt,
    maxAttempts: record.maxAttempts,
    writer: await writerOf(message, lane, deps.store),
    missingFiles: missingFilesOf(record),
    changedFiles: attempt.kind === "summary" ? await deps.changedFiles(lane.directory, beganAt(record)) : [],
    takesIds: runtime.traits.takesIds,
    digest: isFirst ? await previousDigest(lane, attempt.generation, runtime, deps) : null,
  });
  return { text, ...(message.system === undefined ? {} : { system: message.system }) };
}

/** What an agent should know about the writer: its role, and whether it is in the same team. */
type Directory = Pick<LaneStore, "lane"> & Pick<TeamStore, "team">;

async function writerOf(message: Message, { team }: Lane, store: Directory): Promise<string | null> {
  // Anyone can write into a file.
  if (message.inboxFile) return "as your inbox file says";
  const sender = senderOf(message);
  const from = sender?.kind === "lane" ? await store.lane(sender.lane) : null;
  const name = sender?.kind === "member" ? sender.team : from?.team;
  if (sender === null || name == null) return null;
  const members = (await store.team(canonicalName(name)))?.members ?? [];
  const member = members.find((one) => (sender.kind === "member" ? one.name === sender.member : one.lane === from?.id));
  if (!member) return null;
  const where = name === team ? "of your team" : `of team ${name}`;
  return member.role === null ? where : `${member.role} ${where}`;
}

/** When the agent could first have changed files for the message. */
function beganAt({ attemptList, createdAt }: DeliveryRecord): number {
  return attemptList[0]?.submittedAt ?? createdAt;
}

const digestedRows = 80;

/** The end of the previous session, if there was one and it can be read. A repair does not fail without it. */
async function previousDigest(
  lane: Lane,
  generation: number,
  runtime: Runtime,
  deps: CourierDeps,
): Promise<string | null> {
  const { store, onError } = deps;
  const previous = (await store.sessions(lane.id)).findLast((session) => session.generation < generation);
  if (!previous) return null;
  try {
    return digestOf((await readSlice(previous.sessionId, digestedRows, { ...deps, lane, runtime })).rows);
  } catch (error) {
    onError({ laneId: lane.id, error });
    return null;
  }
}
