/**
 * Moves the head message of each lane forward, step by step until the lane rests. Whatever sets a lane going comes in
 * here: a new message, a hint, a date, a person. Everything happens behind the lane's gate.
 *
 * It decides nothing itself: a step (see `step`) carries out what `decide` and `transition` say.
 */
import { messageOf } from "../app-error.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { DueLook } from "../store/port.ts";
import { abortTurn } from "./abort-turn.ts";
import { Hints } from "./hints.ts";
import { Waits } from "./lane-backoff.ts";
import { LaneGate } from "./lane-gate.ts";
import { LimitKeeper } from "./lane-limits.ts";
import { look } from "./reconcile.ts";
import { lookAside, lookWithoutLane } from "./reconcile-detached.ts";
import { Sender } from "./sender.ts";
import type { Step, StepDeps } from "./step.ts";
import { takeHead } from "./take-head.ts";

export type CourierDeps = StepDeps;

export class Courier {
  readonly #deps: CourierDeps;
  readonly #gate = new LaneGate();
  readonly #sender: Sender;
  readonly #waits: Waits;
  readonly #limits: LimitKeeper;
  readonly #hints: Hints;
  readonly #queued = new Map<string, { look: boolean; done: Promise<void> }>();
  #onHold = false;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#waits = new Waits(deps.clock, deps.policy, (laneId) => void this.moveLane(laneId));
    this.#limits = new LimitKeeper(deps, (laneId) => void this.moveLane(laneId, { look: true }));
    this.#hints = new Hints((laneId) => void this.moveLane(laneId, { look: true }));
    this.#sender = new Sender(deps);
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
    this.#waits.close();
    this.#limits.close();
    await this.#gate.drained();
  }

  /** Why a lane's waiting messages have not been sent yet, as far as that is not in the ledger. */
  waitReason(laneId: string): string | null {
    return this.#waits.reason(laneId);
  }

  /** Moves a lane as far as it goes now. Calls that come in while one is queued become one. */
  moveLane(laneId: string, options: { look: boolean } = { look: false }): Promise<void> {
    const queued = this.#queued.get(laneId);
    if (queued) {
      queued.look ||= options.look;
      return queued.done;
    }
    const entry = { look: options.look, done: Promise.resolve() };
    this.#queued.set(laneId, entry);
    entry.done = this.behindGate(laneId, async () => {
      this.#queued.delete(laneId);
      await this.#moveNow(laneId, entry.look);
    });
    return entry.done;
  }

  /** The watchdog's way in: one delivery that is due, and then whatever its lane has to do. */
  lookAtDue(due: DueLook): Promise<void> {
    return this.behindGate(due.laneId, async () => {
      await this.#lookAside(due.deliveryId, due.laneId);
      await this.#moveNow(due.laneId, false);
    });
  }

  /** A look outside the schedule: somebody replied to a message that had failed for good. */
  lookForLateProof(deliveryId: string, laneId: string): Promise<void> {
    return this.behindGate(laneId, () => this.#lookAside(deliveryId, laneId));
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
      this.#deps.onTrouble({ laneId, error });
      this.#waits.postpone(laneId, messageOf(error));
    }
  }

  async #moveNow(laneId: string, lookNow: boolean): Promise<void> {
    const { store, clock, closing } = this.#deps;
    let mayBeEarly = lookNow;
    while (!closing.aborted) {
      const found = await store.lane(laneId);
      if (!found) return;
      const lane = await this.#limits.reconsidered(found);
      this.#hints.follow(lane);
      const outstanding = await store.outstanding(laneId);
      if (outstanding) {
        this.#waits.clear(laneId);
        if (!mayBeEarly && (outstanding.nextLookAt ?? 0) > clock.now()) return;
        mayBeEarly = false;
        if ((await look(outstanding, this.#step(lane))) === "rests") return;
        continue;
      }
      const head = await store.head(laneId);
      if (!head) return this.#waits.clear(laneId);
      if ((await takeHead(head, this.#step(lane))) === "rests") return;
    }
  }

  async #lookAside(deliveryId: string, laneId: string): Promise<void> {
    const { store } = this.#deps;
    const [record, lane] = await Promise.all([store.delivery(deliveryId), store.lane(laneId)]);
    if (!record) return;
    await (lane ? lookAside(record, this.#step(lane)) : lookWithoutLane(record, this.#deps));
  }

  #step(lane: Lane): Step {
    return {
      ...this.#deps,
      lane,
      sender: this.#sender,
      waits: this.#waits,
      limits: this.#limits,
      hints: this.#hints,
      isHeld: () => this.#onHold,
    };
  }
}
