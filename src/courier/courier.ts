/**
 * TransitionRules the head message of each lane forward, step by step until the lane rests. Whatever sets a lane going comes in
 * here: a new message, a hint, a date, a person. Everything happens behind the lane's gate.
 *
 * It decides nothing itself: a step (see `step`) carries out what `decide` and `transition` say.
 */
import { messageOf } from "../app-error.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { DueReconcile } from "../store/port.ts";
import { Hints } from "./hints.ts";
import { LaneBackoff } from "./lane-backoff.ts";
import { LaneGate } from "./lane-gate.ts";
import { LaneLimits } from "./lane-limits.ts";
import { reconcile } from "./reconcile.ts";
import { reconcileDetached, reconcileWithoutLane } from "./reconcile-detached.ts";
import type { SessionMemory } from "./session.ts";
import { abortTurn } from "./session.ts";
import type { CourierDeps, StepContext } from "./step-context.ts";
import { takeHead } from "./take-head.ts";

export class Courier {
  readonly #deps: CourierDeps;
  readonly #gate = new LaneGate();
  readonly #sessions: SessionMemory = { unstored: new Map(), blocked: new Map() };
  readonly #backoff: LaneBackoff;
  readonly #limits: LaneLimits;
  readonly #hints: Hints;
  readonly #queued = new Map<string, { reconcile: boolean; done: Promise<void> }>();
  #onHold = false;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#backoff = new LaneBackoff(deps.clock, deps.policy, (laneId) => void this.moveLane(laneId));
    this.#limits = new LaneLimits(deps, (laneId) => void this.moveLane(laneId, { reconcile: true }));
    this.#hints = new Hints((laneId) => void this.moveLane(laneId, { reconcile: true }));
  }

  /** Hints are listened to before anything is sent. */
  start(): void {
    this.#hints.listen(this.#deps.runtimes.values());
  }

  /**
   * From now on nothing is sent for the first time, again, or as a retry; looks go on. Resolves once everything has
   * passed that was under way before, so that no send is left that nobody knows of.
   */
  hold(): Promise<void> {
    this.#onHold = true;
    return this.#gate.passed();
  }

  /** To be called once `closing` is aborted: ends after the work at hand; what is outstanding stays in the ledger. */
  async close(): Promise<void> {
    this.#hints.close();
    this.#backoff.close();
    this.#limits.close();
    await this.#gate.drained();
  }

  /** Why a lane's waiting messages have not been sent yet, as far as that is not in the ledger. */
  waitReason(laneId: string): string | null {
    return this.#backoff.reason(laneId);
  }

  /** TransitionRules a lane as far as it goes now. Calls that come in while one is queued become one. */
  moveLane(laneId: string, options: { reconcile: boolean } = { reconcile: false }): Promise<void> {
    const queued = this.#queued.get(laneId);
    if (queued) {
      queued.reconcile ||= options.reconcile;
      return queued.done;
    }
    const entry = { reconcile: options.reconcile, done: Promise.resolve() };
    this.#queued.set(laneId, entry);
    entry.done = this.behindGate(laneId, async () => {
      this.#queued.delete(laneId);
      await this.#moveNow(laneId, entry.reconcile);
    });
    return entry.done;
  }

  /** The watchdog's way in: one delivery that is due, and then whatever its lane has to do. */
  reconcileDue(due: DueReconcile): Promise<void> {
    return this.behindGate(due.laneId, async () => {
      await this.#reconcileDetached(due.deliveryId, due.laneId);
      await this.#moveNow(due.laneId, false);
    });
  }

  /** A look outside the schedule: somebody replied to a message that had failed for good. */
  reconcileLateProof(deliveryId: string, laneId: string): Promise<void> {
    return this.behindGate(laneId, () => this.#reconcileDetached(deliveryId, laneId));
  }

  /**
   * Ends whatever runs in the session of the delivery that holds the lane, which need not be the lane's own any more, or
   * else in the lane's; unless another delivery than `holder` has got the lane meanwhile.
   */
  stopTurn(laneId: string, holder: string | null): Promise<void> {
    return this.behindGate(laneId, async () => {
      const { store } = this.#deps;
      const [lane, outstanding] = await Promise.all([store.lane(laneId), store.outstanding(laneId)]);
      if (outstanding && outstanding.id !== holder) return;
      const sessionId = outstanding?.runtimeSessionId ?? lane?.sessionId;
      if (lane && sessionId) await abortTurn(lane, sessionId, this.#deps);
    });
  }

  /** Trouble in one lane is reported, costs it some time, and touches no other lane. */
  async behindGate(laneId: string, work: () => Promise<void>): Promise<void> {
    if (this.#deps.closing.aborted) return;
    try {
      await this.#gate.run(laneId, work);
    } catch (error) {
      this.#deps.onError({ laneId, error });
      this.#backoff.postpone(laneId, messageOf(error));
    }
  }

  async #moveNow(laneId: string, reconcileNow: boolean): Promise<void> {
    const { store, clock, closing } = this.#deps;
    let mayBeEarly = reconcileNow;
    while (!closing.aborted) {
      const found = await store.lane(laneId);
      if (!found) return;
      const lane = await this.#limits.reconsidered(found);
      this.#hints.follow(lane);
      const outstanding = await store.outstanding(laneId);
      if (outstanding) {
        this.#backoff.clear(laneId);
        if (!mayBeEarly && (outstanding.nextLookAt ?? 0) > clock.now()) return;
        mayBeEarly = false;
        if ((await reconcile(outstanding, this.#step(lane))) === "rests") return;
        continue;
      }
      const head = await store.head(laneId);
      if (!head) return this.#backoff.clear(laneId);
      if ((await takeHead(head, this.#step(lane))) === "rests") return;
    }
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
      backoff: this.#backoff,
      limits: this.#limits,
      hints: this.#hints,
      isHeld: () => this.#onHold,
    };
  }
}
