/**
 * What people do to deliveries and lanes. Each intervention is committed to the ledger first, and then the courier
 * carries it out. So a crash loses no decision of a person.
 */

import { decideStop } from "../core/decision/submission.ts";
import type { DeliveryEvent, OutgoingMail } from "../core/delivery/delivery-event.ts";
import { mayHaveBeenSent, readReleased } from "../core/delivery/reasons.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding, isOwed, openStatuses, readsWithLedger } from "../core/delivery/record.ts";
import { failureMail } from "../core/delivery/texts.ts";
import type { Lane } from "../core/lane/lane.ts";
import { dayOf, isLimitReason } from "../core/lane/lane.ts";
import type { Source } from "../core/message/message.ts";
import { beginNotes } from "../core/turn/delivery-notes.ts";
import { mailContext } from "../courier/commit-events.ts";
import type { Courier } from "../courier/courier.ts";
import type { CourierDeps } from "../courier/step-context.ts";
import type { Recorder } from "../events/recorder.ts";
import { AppError } from "../platform/app-error.ts";
import { TimedOut, withTimeout } from "../platform/clock.ts";
import type { AskAnswer } from "../runtimes/port.ts";
import { knownLane } from "../store/known.ts";
import type { Applied, NewLane, TeamStore } from "../store/port.ts";
import type { ForkDeps } from "./fork.ts";
import { forkLane } from "./fork.ts";
import { adoptSession, openNewSession } from "./lane-session.ts";

export type InterventionDeps = CourierDeps &
  ForkDeps & { store: Pick<TeamStore, "heldFrom">; recorder: Pick<Recorder, "note" | "laneRemoved"> };

export class Interventions {
  readonly #deps: InterventionDeps;
  readonly #courier: Courier;

  constructor(deps: InterventionDeps, courier: Courier) {
    this.#deps = deps;
    this.#courier = courier;
  }

  /** Ends a delivery for good. If its turn is running, the next reconcile stops it. */
  async cancel(deliveryId: string, by: string, reason = "cancelled_by_person"): Promise<Applied> {
    const applied = await this.#commitCancel(deliveryId, by, reason);
    if (applied.outcome === "applied") void this.#courier.moveLane(applied.record.laneId, { reconcile: true });
    return applied;
  }

  async #commitCancel(deliveryId: string, by: string, reason: string): Promise<Applied> {
    const { ledger, store, reads, clock } = this.#deps;
    const record = await store.delivery(deliveryId);
    if (!record) return deliveryUnknown;
    const mail = await this.#mailToAgent(record, reason);
    const at = clock.now();
    const cancelled = { type: "cancelled", at, by, reason, readCommitted: readsWithLedger(record, reads) } as const;
    const applied = await ledger.commit(deliveryId, [{ ...cancelled, reconcileAt: at }], mail);
    if (applied.outcome === "applied") this.#courier.stopSending(deliveryId);
    return applied;
  }

  /** The person who ends a delivery knows it; an agent that waits for the answer gets a message. */
  async #mailToAgent(record: DeliveryRecord, reason: string): Promise<OutgoingMail[]> {
    const lane = record.replyTo ? await this.#deps.store.lane(record.laneId) : null;
    return lane ? failureMail(record, reason, await mailContext(record, { ...this.#deps, lane })) : [];
  }

  /** Withdraws a message that has not been sent yet. */
  async withdraw(deliveryId: string, by: string): Promise<Applied> {
    const { ledger, store, reads, clock } = this.#deps;
    const record = await store.delivery(deliveryId);
    if (!record) return deliveryUnknown;
    const mail = await this.#mailToAgent(record, "withdrawn");
    const at = clock.now();
    const readCommitted = readsWithLedger(record, reads);
    const withdrawn = { type: "withdrawn", at, by, reason: "withdrawn", readCommitted, reconcileAt: at } as const;
    return ledger.commit(deliveryId, [withdrawn], mail);
  }

  /**
   * Gives a failed delivery a new budget. Its earlier attempts are reconciled first. One that is held because it may
   * have been sent before is sent.
   */
  async retry(deliveryId: string, by: string): Promise<Applied> {
    const { store, ledger, policy, clock, recorder } = this.#deps;
    const record = await store.delivery(deliveryId);
    if (!record) return deliveryUnknown;
    const { laneId: lane, messageId } = record;
    await knownLane(store, lane);
    if (record.heldReason === mayHaveBeenSent) return this.#release(record, by);
    const message = await store.message({ kind: "lane", lane }, messageId);
    const round = record.rounds + 1;
    const event: DeliveryEvent = { type: "retried_by_person", at: clock.now(), by, budget: policy.maxAttempts, round };
    const applied = await ledger.commit(deliveryId, [event]);
    if (applied.outcome !== "applied") return applied;
    if (message) recorder.note(lane, beginNotes(message, round));
    void this.#courier.moveLane(lane);
    return applied;
  }

  async #release({ id, laneId }: DeliveryRecord, by: string): Promise<Applied> {
    const { ledger, clock } = this.#deps;
    const applied = await ledger.commit(id, [{ type: "released", at: clock.now(), by }]);
    void this.#courier.moveLane(laneId);
    return applied;
  }

  /**
   * Stops whatever the lane is doing, without waiting behind queued messages: what it is about to send, is sending,
   * or works on. None of it is retried. Returns the delivery that was the lane's current one.
   */
  async stop(laneId: string, by: string, alsoWaiting: Source | null = null): Promise<DeliveryRecord | null> {
    const { store, ledger, clock } = this.#deps;
    const lane = await knownLane(store, laneId);
    // A single read, since a waiting message may be sent at any moment.
    const open = await store.openDeliveries(laneId);
    const holder = open.find(isOutstanding) ?? null;
    // A held message is not about to be sent.
    const waiting = open.filter(({ status, heldReason }) => status === "pending" && heldReason === null);
    const plan = decideStop({ lane, holder, waiting, alsoWaiting, now: clock.now() });
    const cancelling = plan.cancel.map((id) => this.#commitCancel(id, by, "stopped_by_person"));
    if (plan.endFollowUp !== null) {
      await ledger.commit(plan.endFollowUp, [{ type: "turn_ended", at: clock.now() }]);
    }
    const cancelled = (await Promise.all(cancelling)).flatMap(({ record }) => record ?? []);
    // The head may have been sent while it was being cancelled.
    const current = holder ?? cancelled.at(-1) ?? null;
    const isSent = holder !== null || (current !== null && isOutstanding(current));
    // Also stop a turn that has already answered, and one that somebody else started; but not a later message's turn.
    const stopped = this.#courier.stopTurn(laneId, current?.id ?? null);
    // A message that was not sent is over, and one being sent is aborted by the step that sends it. Wait for neither:
    // the step may be opening a session, or starting a program.
    const isUnderWay = current !== null && (!isSent || this.#courier.isSending(current.id));
    if (!isUnderWay) await stopped;
    void this.#courier.moveLane(laneId, { reconcile: true });
    return current && store.delivery(current.id);
  }

  /**
   * Releases the lane although its last delivery still owes something that cannot be read or written: the end of a
   * turn in an unreadable session, or a read flag in an unwritable file.
   */
  async release(laneId: string, by: string): Promise<Applied | null> {
    const { store, ledger, clock } = this.#deps;
    const record = await store.outstanding(laneId);
    if (!record) return null;
    if (openStatuses.includes(record.status)) await this.#commitCancel(record.id, by, "released_by_person");
    const owed = await store.delivery(record.id);
    if (!owed || !isOutstanding(owed)) return null;
    const at = clock.now();
    const events: DeliveryEvent[] = [];
    if (owed.readCommittedAt === null) {
      events.push({ type: "read_committed", at, diagnostics: [readReleased] });
    }
    if (owed.turnEndedAt === null) events.push({ type: "turn_ended", at });
    const applied = await ledger.commit(record.id, events);
    void this.#courier.moveLane(laneId);
    return applied;
  }

  /** From the next message on, the lane continues in this session. Refused while a delivery holds the lane. */
  async adopt(laneId: string, sessionId: string): Promise<void> {
    await this.#inLane(laneId, () => adoptSession(laneId, sessionId, this.#deps));
    void this.#courier.moveLane(laneId);
  }

  /** From the next message on, the lane continues in a fresh session. Refused while a delivery holds the lane. */
  async newSession(laneId: string, notSince: number | null): Promise<void> {
    await this.#inLane(laneId, () => openNewSession(laneId, notSince, this.#deps));
    void this.#courier.moveLane(laneId);
  }

  /**
   * A new lane whose agent knows what this one's knew before the prompt of the event `before`, or all of it. Refused
   * while a delivery holds the lane.
   */
  fork(laneId: string, before: number | null, made: NewLane): Promise<Lane> {
    return this.#inLane(laneId, () => forkLane(laneId, before, made, this.#deps));
  }

  /** The caller gets the error; the lane continues without delay. */
  async #inLane<T>(laneId: string, work: () => Promise<T>): Promise<T> {
    let outcome: () => T = () => {
      throw closing();
    };
    await this.#courier.inLane(laneId, async () => {
      outcome = await work().then(
        (done) => () => done,
        (error: unknown) => () => {
          throw error;
        },
      );
    });
    return outcome();
  }

  /** Passes a person's decision on to the agent. */
  async answer(askId: string, answer: AskAnswer): Promise<void> {
    const { asks, store, runtimes, policy } = this.#deps;
    const answerElsewhere = asks.answerOf(askId);
    if (answerElsewhere) return answerElsewhere(answer);
    const laneId = asks.laneOf(askId);
    const lane = laneId === null ? null : await store.lane(laneId);
    const runtime = lane && runtimes.get(lane.runtime);
    if (!lane || !runtime) throw askUnknown(askId);
    try {
      await withTimeout(this.#deps, policy.submitLimitMs, () => runtime.answer(lane, askId, answer));
    } catch (error) {
      if (error instanceof AppError && error.code === "ask_unknown") this.#afterAnswer(askId, lane.id);
      throw error instanceof TimedOut ? noAnswer(lane.runtime, error) : error;
    }
    this.#afterAnswer(askId, lane.id);
  }

  #afterAnswer(askId: string, laneId: string): void {
    this.#deps.asks.answered(askId);
    void this.#courier.moveLane(laneId, { reconcile: true });
  }

  async pause(laneId: string, reason: string): Promise<void> {
    await this.#deps.store.pauseLane(laneId, reason);
  }

  /** Also lifts a daily limit that paused the lane, until the day ends. */
  async resume(laneId: string): Promise<void> {
    const { store, clock } = this.#deps;
    const lane = await store.lane(laneId);
    if (lane && isLimitReason(lane.pausedReason)) await store.liftLimits(laneId, dayOf(clock.now()));
    await store.pauseLane(laneId, null);
    void this.#courier.moveLane(laneId, { reconcile: true });
  }

  /** Cancels everything that is open in the lane, if `force` allows it, and then removes the lane itself. */
  async removeLane(laneId: string, by: string, force: boolean): Promise<void> {
    const { store, clock, asks, recorder, runtimes } = this.#deps;
    while (!(await store.removeLane(laneId, clock.now()))) {
      const open = await store.openDeliveries(laneId);
      if (!force) throw laneInUse(laneId, open.length);
      // Ending one must not start the next.
      await store.pauseLane(laneId, "being_removed");
      for (const record of open) {
        if (record.status === "pending") await this.#commitCancel(record.id, by, "lane_removed");
        else if (isOutstanding(record)) await this.#endOutstanding(laneId, record, by);
        await this.#releaseRead(record.id);
      }
    }
    await this.#releaseHeldFrom(laneId);
    asks.laneRemoved(laneId);
    recorder.laneRemoved(laneId);
    const sessions = await this.#unownedSessions(laneId);
    // Includes sessions it had before.
    for (const runtime of runtimes.values()) runtime.laneRemoved?.(laneId, sessions);
  }

  /** Its agent's held messages are still delivered: without the lane there can be no loop. */
  async #releaseHeldFrom(laneId: string): Promise<void> {
    const { store } = this.#deps;
    for (const record of await store.heldFrom(laneId)) await this.#release(record, "waybill");
  }

  /** The sessions it has had, except one that another lane now uses. */
  async #unownedSessions(laneId: string): Promise<string[]> {
    const { store } = this.#deps;
    const taken = new Set((await store.lanes()).map(({ sessionId }) => sessionId));
    const had = (await store.sessions(laneId)).map(({ sessionId }) => sessionId);
    return had.filter((sessionId) => !taken.has(sessionId));
  }

  /** A read flag that could not be written so far is not waited for when its lane is removed. */
  async #releaseRead(deliveryId: string): Promise<void> {
    const { store, ledger, clock } = this.#deps;
    const record = await store.delivery(deliveryId);
    if (!record || !isOwed(record) || record.readCommittedAt !== null) return;
    const diagnostics = [readReleased];
    await ledger.commit(deliveryId, [{ type: "read_committed", at: clock.now(), diagnostics }]);
  }

  /** Nothing more will be sent in its lane, so its turn is stopped without waiting for the end. */
  async #endOutstanding(laneId: string, record: DeliveryRecord, by: string): Promise<void> {
    if (openStatuses.includes(record.status)) await this.#commitCancel(record.id, by, "lane_removed");
    await this.#courier.stopTurn(laneId, record.id);
    await this.release(laneId, by);
  }
}

const deliveryUnknown: Applied = { outcome: "refused", reason: "delivery_unknown", record: null };

function closing(): AppError {
  return new AppError({ code: "draining", message: "This daemon is stopping.", retryable: true });
}

function askUnknown(askId: string): AppError {
  return new AppError({
    code: "ask_unknown",
    message: `No open ask has the id "${askId}".`,
    hint: "It may have been answered, or its turn has ended. `waybill asks` lists open asks.",
  });
}

/** It is unknown whether the answer arrived; the next reconcile shows whether the ask is still open. */
function noAnswer(runtime: string, cause: TimedOut): AppError {
  return new AppError({
    code: "runtime_unavailable",
    message: `The runtime "${runtime}" did not take the answer: ${cause.message}.`,
    hint: "Check `waybill asks` in a moment, and answer again if the ask is still listed.",
    retryable: true,
    cause,
  });
}

function laneInUse(laneId: string, open: number): AppError {
  return new AppError({
    code: "lane_in_use",
    message: `Lane "${laneId}" has ${open} open ${open === 1 ? "delivery" : "deliveries"}.`,
    hint: "Wait for them, or cancel them with `--force`.",
  });
}
