/**
 * Moves the head message of each lane forward, step by step until the lane rests. New messages, hints, due times and
 * people all wake a lane here. Each lane runs one step at a time; lanes do not wait for each other.
 *
 * The courier decides nothing: its steps carry out what the core decides.
 */

import { decideHead, isSuperseded } from "../core/decision/submission.ts";
import { mayHaveBeenSent, superseded, tooManyTurns } from "../core/delivery/reasons.ts";
import type { Alert, DeliveryRecord } from "../core/delivery/record.ts";
import { openStatuses } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import { hasLimits } from "../core/lane/lane.ts";
import type { LogItem } from "../core/log/log-item.ts";
import { messageOf } from "../platform/app-error.ts";
import type { DueReconcile } from "../store/port.ts";
import { abortTurn } from "./abort-turn.ts";
import { commitEvents, commitFailure } from "./commit-events.ts";
import { findAttempts, findAttemptsInDirectory } from "./find-attempts.ts";
import { LaneLimits } from "./lane-limits.ts";
import { expire, reconcile, reconcileDetached, reconcileWithoutLane } from "./reconcile.ts";
import type { CourierDeps, SessionMemory, StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";
import { submit } from "./submit.ts";
import { TurnLimit } from "./turn-limit.ts";
import { WakeUps } from "./watchdog.ts";

export class Courier {
  readonly #deps: CourierDeps;
  readonly #queue = new LaneQueue();
  readonly #sessions: SessionMemory = { unstored: new Map(), blocked: new Map() };
  readonly #sending = new Map<string, () => void>();
  readonly #wakeUps: WakeUps;
  readonly #limits: LaneLimits | null;
  readonly #turnLimit: TurnLimit | null;
  readonly #pending = new Map<string, { reconcile: boolean; done: Promise<void> }>();
  #unsubscribe: () => void = () => {};
  #onHold = false;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#wakeUps = new WakeUps(deps.clock, deps.policy, (laneId, options) => void this.moveLane(laneId, options));
    this.#limits = hasLimits(deps.policy.limits)
      ? new LaneLimits(deps, (laneId) => void this.moveLane(laneId, { reconcile: true }))
      : null;
    this.#turnLimit = deps.maxTurns
      ? new TurnLimit(deps.maxTurns, deps.store, (laneId) => this.moveLane(laneId))
      : null;
  }

  /** Subscribes before anything is sent. */
  async start(): Promise<void> {
    this.#wakeUps.listen(this.#deps.runtimes.values());
    this.#unsubscribe = this.#deps.store.onLog((items) => this.#onLog(items));
    await this.#turnLimit?.load();
  }

  /**
   * From now on nothing is sent: no first prompts, no repeats, no retries. Reconciling continues. Resolves once every
   * step that was running has ended, so that no send with an unknown outcome is left.
   */
  hold(): Promise<void> {
    this.#onHold = true;
    return this.#queue.passed();
  }

  /** Call it once `closing` is aborted: it ends after the current work; outstanding deliveries stay in the ledger. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#wakeUps.close();
    this.#limits?.close();
    await this.#queue.drained();
  }

  /** Why a lane's waiting messages have not been sent yet, if the ledger does not show it. */
  waitReason(laneId: string): string | null {
    return this.#turnLimit?.waits(laneId) ? tooManyTurns : this.#wakeUps.reason(laneId);
  }

  /** Moves a lane as far as possible now. Calls that arrive while one is queued are merged. */
  moveLane(laneId: string, options: { reconcile: boolean } = { reconcile: false }): Promise<void> {
    const queued = this.#pending.get(laneId);
    if (queued) {
      queued.reconcile ||= options.reconcile;
      return queued.done;
    }
    const entry = { reconcile: options.reconcile, done: Promise.resolve() };
    this.#pending.set(laneId, entry);
    entry.done = this.inLane(laneId, async () => {
      this.#pending.delete(laneId);
      await this.#moveNow(laneId, entry.reconcile);
    });
    return entry.done;
  }

  /** For the watchdog: one due delivery, and then whatever its lane has to do. */
  reconcileDue(due: DueReconcile): Promise<void> {
    return this.inLane(due.laneId, async () => {
      await this.#reconcileDetached(due.deliveryId, due.laneId);
      await this.#moveNow(due.laneId, false);
    });
  }

  /** Something outside the transcripts shows that it cannot be delivered. An ended delivery stays as it is. */
  fail(deliveryId: string, laneId: string, reason: string): Promise<void> {
    return this.inLane(laneId, async () => {
      const [record, lane] = await Promise.all([this.#deps.store.delivery(deliveryId), this.#deps.store.lane(laneId)]);
      const isOpen = record?.status === "pending" || (record && openStatuses.includes(record.status));
      if (record && lane && isOpen) await commitFailure(record, reason, this.#step(lane));
    });
  }

  /** Outside the schedule: the agent replied to a message that had failed for good. */
  reconcileLateProof(deliveryId: string, laneId: string): Promise<void> {
    return this.inLane(laneId, () => this.#reconcileDetached(deliveryId, laneId));
  }

  /**
   * Ends whatever runs in the session of the delivery that holds the lane, which may no longer be the lane's own, or
   * else in the lane's session; unless a delivery other than `holder` has taken the lane since.
   */
  stopTurn(laneId: string, holder: string | null): Promise<void> {
    return this.inLane(laneId, async () => {
      const { store } = this.#deps;
      const [lane, outstanding] = await Promise.all([store.lane(laneId), store.outstanding(laneId)]);
      if (outstanding && outstanding.id !== holder) return;
      const sessionId = outstanding?.runtimeSessionId ?? lane?.sessionId;
      if (lane && sessionId) await abortTurn(lane, sessionId, this.#deps);
    });
  }

  /**
   * A person ended this delivery. While its request is in flight, its turn may already be running: abort it
   * immediately.
   */
  stopSending(deliveryId: string): void {
    this.#sending.get(deliveryId)?.();
  }

  /** Whether its request is in flight. */
  isSending(deliveryId: string): boolean {
    return this.#sending.has(deliveryId);
  }

  /** An error in one lane is reported, delays that lane, and affects no other. */
  async inLane(laneId: string, work: () => Promise<void>): Promise<void> {
    if (this.#deps.closing.aborted) return;
    try {
      await this.#queue.run(laneId, work);
    } catch (error) {
      this.#failed(laneId, error);
    }
  }

  #onLog(items: readonly LogItem[]): void {
    for (const item of items) {
      if (item.type === "delivery") {
        const isAdmitted = item.event.type === "admitted";
        this.#turnLimit?.follow(item.record, isAdmitted);
        if (isAdmitted) void this.moveLane(item.record.laneId);
      } else if (item.type === "message") {
        const { fromLane, relayOfMessageId } = item.message;
        if (fromLane !== null && relayOfMessageId !== null) void this.#replied(fromLane, relayOfMessageId);
      } else if (item.type === "lane" && item.lane === null && item.laneId !== null) this.#wakeUps.forget(item.laneId);
    }
  }

  /** The lane's agent has written a reply, which may prove that it acted on the message. */
  async #replied(laneId: string, messageId: string): Promise<void> {
    const { store, onError } = this.#deps;
    try {
      const answered = await store.deliveryOf(laneId, messageId);
      if (answered?.status === "failed_terminal") await this.reconcileLateProof(answered.id, laneId);
      else if (answered) await this.moveLane(laneId, { reconcile: true });
    } catch (error) {
      onError({ laneId, error });
    }
  }

  #failed(laneId: string, error: unknown): void {
    this.#deps.onError({ laneId, error });
    this.#wakeUps.postpone(laneId, messageOf(error));
  }

  async #moveNow(laneId: string, reconcileNow: boolean): Promise<void> {
    try {
      await this.#moveUntilItRests(laneId, reconcileNow);
    } finally {
      await this.#turnLimit?.settle(laneId);
    }
  }

  async #moveUntilItRests(laneId: string, reconcileNow: boolean): Promise<void> {
    const { store, clock, closing } = this.#deps;
    let mayBeEarly = reconcileNow;
    while (!closing.aborted) {
      const found = await store.lane(laneId);
      if (!found) return;
      const lane = (await this.#limits?.reconsidered(found)) ?? found;
      this.#wakeUps.follow(lane);
      const outstanding = await store.outstanding(laneId);
      if (outstanding) {
        this.#wakeUps.clear(laneId);
        if (outstanding.status === "retry_scheduled" && (await this.#supersede(outstanding, lane))) continue;
        if (!mayBeEarly && (outstanding.nextReconcileAt ?? 0) > clock.now()) return;
        mayBeEarly = false;
        if ((await reconcile(outstanding, this.#step(lane))) === "rests") return;
        continue;
      }
      const head = await store.head(laneId);
      if (!head) return this.#wakeUps.clear(laneId);
      if ((await takeHead(head, this.#step(lane))) === "rests") return;
    }
  }

  /** Ends a message whose sender wrote another one: true once that is committed. */
  async #supersede(record: DeliveryRecord, lane: Lane): Promise<boolean> {
    const { store, clock } = this.#deps;
    const waiting = await store.openDeliveries(lane.id);
    if (!isSuperseded(record, waiting, clock.now())) return false;
    return (await commitFailure(record, superseded, this.#step(lane))) === "moved";
  }

  async #reconcileDetached(deliveryId: string, laneId: string): Promise<void> {
    const { store } = this.#deps;
    const [record, lane] = await Promise.all([store.delivery(deliveryId), store.lane(laneId)]);
    if (!record) return;
    await (lane ? reconcileDetached(record, this.#step(lane)) : reconcileWithoutLane(record, this.#deps));
  }

  #step(lane: Lane): StepContext {
    return {
      ...this.#deps,
      lane,
      sessions: this.#sessions,
      sending: this.#sending,
      wakeUps: this.#wakeUps,
      limits: this.#limits,
      turnLimit: this.#turnLimit,
      expect: (durable) => void durable.catch((error: unknown) => this.#failed(lane.id, error)),
      isHeld: () => this.#onHold,
    };
  }
}

/** Carries out the decision for the head of a free lane. */
async function takeHead(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
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

/** Prompts found in the transcripts were sent. Only a message without any is as good as new. */
async function takeRebuilt(head: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const runtime = step.runtimes.get(step.lane.runtime);
  if (!runtime) return postpone(step, "runtime_not_active");
  const search = { ...step, runtime };
  // A message from an inbox file may be older than the store.
  const found = await (head.inboxFile === null ? findAttempts(head, search) : findAttemptsInDirectory(head, search));
  const at = step.clock.now();
  const searched = { type: "attempts_searched", at, runtimeKind: runtime.kind, reconcileAt: at } as const;
  if (found !== "unreadable") return commitEvents(head, [{ ...searched, found }], step);
  await step.store.raise(heldAlert(head, at));
  return commitEvents(head, [{ ...searched, found: [], unreadable: true }], step);
}

function heldAlert({ id, laneId, messageId, replyRecipient }: DeliveryRecord, at: number): Alert {
  const about = { laneId, deliveryId: id, messageId, askId: null, person: replyRecipient };
  return { id: `held:${id}`, kind: "held", ...about, reason: mayHaveBeenSent, since: at, raisedAt: at };
}

/** Runs the work of a lane sequentially. */
class LaneQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(laneId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(laneId) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result
      .catch(() => {}) // the caller gets the error; the next in the queue continues
      .finally(() => {
        if (this.#tails.get(laneId) === tail) this.#tails.delete(laneId);
      });
    this.#tails.set(laneId, tail);
    return result;
  }

  /** Resolves when everything queued now has run, whatever comes after it. */
  async passed(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async drained(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
