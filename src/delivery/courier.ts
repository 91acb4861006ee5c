/**
 * Moves the head message of each lane forward. It carries out what `decide` and `transition` say and decides
 * nothing itself: it reads transcripts, commits events, sends prompts, aborts turns.
 *
 * Everything happens behind the lane's gate. A commit always comes before the effect that it allows, so that a crash
 * at any point leaves a record from which the next look can go on.
 */
import { AppError, messageOf } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { withDeadline } from "../deadline.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Applied, DueLook, OutgoingMail, Store } from "../store/port.ts";
import type { DestinationReply } from "./decide.ts";
import { decide } from "./decide.ts";
import type { DeliveryEvent, Effect } from "./delivery-event.ts";
import type { Reach } from "./fail-points.ts";
import type { Lane } from "./lane.ts";
import { laneSpeaker } from "./lane.ts";
import { LaneGate } from "./lane-gate.ts";
import type { Ledger } from "./ledger.ts";
import type { Policy } from "./policy.ts";
import { readObservation } from "./reading.ts";
import type { DeliveryRecord } from "./record.ts";
import { isOutstanding } from "./record.ts";
import { nextLook } from "./retry.ts";
import { Sender } from "./sender.ts";
import { judgeReply } from "./sufficiency.ts";
import { Waits } from "./waits.ts";

/** What is written back to a sender, in the same transaction as the end of the delivery. */
export type ReplyWriter = {
  answer(record: DeliveryRecord, lane: Lane, text: string, at: number): OutgoingMail;
  failure(record: DeliveryRecord, lane: Lane, reason: string, at: number): OutgoingMail;
  expiry(record: DeliveryRecord, lane: Lane, at: number): OutgoingMail;
};

export type CourierDeps = {
  store: Store;
  ledger: Ledger;
  runtimes: ReadonlyMap<string, Runtime>;
  mailbox: Mailbox;
  replies: ReplyWriter;
  policy: Policy;
  clock: Clock;
  /** Aborted when the program ends. */
  closing: AbortSignal;
  runId: string;
  reach: Reach;
  /** A lane's work ended in an error that nobody foresaw. It is tried again later. */
  onTrouble: (trouble: { laneId: string; error: unknown }) => void;
};

/** Whether anything changed, so that the lane is worth another look at once. */
type Progress = "moved" | "rests";

export class Courier {
  readonly #deps: CourierDeps;
  readonly #gate = new LaneGate();
  readonly #sender: Sender;
  readonly #waits: Waits;
  readonly #queued = new Map<string, { look: boolean; done: Promise<void> }>();
  readonly #laneOfSession = new Map<string, string>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#waits = new Waits(deps.clock, deps.policy, (laneId) => void this.tend(laneId));
    this.#sender = new Sender(deps, (session, laneId) => this.#laneOfSession.set(session, laneId));
  }

  /** Hints are listened to before anything is sent. */
  start(): void {
    for (const runtime of this.#deps.runtimes.values()) {
      this.#unsubscribe.push(
        runtime.onHint((hint) => {
          const laneId = this.#laneOfSession.get(hint.sessionId);
          if (laneId !== undefined) void this.tend(laneId, { look: true });
        }),
      );
    }
  }

  /** To be called once `closing` is aborted: ends after the work at hand; what is outstanding stays in the ledger. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#waits.close();
    await this.#gate.drained();
  }

  /** Why a lane's waiting messages have not been sent yet, as far as that is not in the ledger. */
  waitReason(laneId: string): string | null {
    return this.#waits.reason(laneId);
  }

  /** Moves a lane as far as it goes now. Calls that come in while one is queued become one. */
  tend(laneId: string, options: { look: boolean } = { look: false }): Promise<void> {
    const queued = this.#queued.get(laneId);
    if (queued) {
      queued.look ||= options.look;
      return queued.done;
    }
    const entry = { look: options.look, done: Promise.resolve() };
    entry.done = this.#behindGate(laneId, async () => {
      this.#queued.delete(laneId);
      await this.#tendNow(laneId, entry.look);
    });
    this.#queued.set(laneId, entry);
    return entry.done;
  }

  /** The watchdog's way in: a look at one delivery that is due. */
  attend(due: DueLook): Promise<void> {
    return this.#behindGate(due.laneId, async () => {
      const [record, lane] = await this.#load(due.deliveryId, due.laneId);
      if (!record || !lane) return;
      if (record.status === "pending") await this.#expire(record, lane);
      else if (record.status === "failed_terminal") await this.#look(record, lane);
      await this.#tendNow(due.laneId, false);
    });
  }

  /** A person ends a delivery. That is durable before the agent is stopped, and is never retried. */
  async cancel(deliveryId: string, by: string, reason: string): Promise<Applied> {
    const { store, policy, mailbox } = this.#deps;
    const record = await store.delivery(deliveryId);
    const at = this.#deps.clock.now();
    const applied = await this.#deps.ledger.commit(deliveryId, [
      {
        type: "cancelled",
        at,
        by,
        reason,
        readCommitted: mailbox.commitsWithLedger,
        lookAt: nextLook({ looks: 0 }, policy, at),
      },
    ]);
    if (record && applied.outcome === "applied") {
      void this.#behindGate(record.laneId, async () => {
        const lane = await store.lane(record.laneId);
        if (lane) await this.#perform(applied.record, lane, applied.effects);
      });
      void this.tend(record.laneId, { look: true });
    }
    return applied;
  }

  /** Takes a message back that has not been sent; refused once it was. */
  withdraw(deliveryId: string, by: string): Promise<Applied> {
    return this.#deps.ledger.commit(deliveryId, [this.#withdrawal(by, "withdrawn", this.#deps.clock.now())]);
  }

  /** Stops whatever the lane is doing. Does not wait behind queued messages. */
  async stop(laneId: string, by: string): Promise<Applied | null> {
    const record = await this.#deps.store.outstanding(laneId);
    return record ? this.cancel(record.id, by, "stopped_by_person") : null;
  }

  /** Ends everything that is open in the lane as cancelled, if `force` allows it, and then the lane itself. */
  async removeLane(laneId: string, by: string, force: boolean): Promise<void> {
    const { store, clock } = this.#deps;
    while (!(await store.removeLane(laneId, clock.now()))) {
      const open = await store.openDeliveries(laneId);
      if (!force) throw laneInUse(laneId, open.length);
      // Ending one must not set the next one going.
      await store.pauseLane(laneId, "being_removed");
      for (const record of open) await this.#endInLane(record, by);
    }
  }

  /** Nothing will be sent in its lane any more, so nobody has to wait for the end of its turn. */
  async #endInLane(record: DeliveryRecord, by: string): Promise<void> {
    if (record.status !== "cancelled" && record.status !== "responded") {
      await this.cancel(record.id, by, "lane_removed");
    }
    await this.#gate.run(record.laneId, async () => {
      const at = this.#deps.clock.now();
      await this.#deps.ledger.commit(record.id, [{ type: "turn_ended", at }]);
    });
  }

  /** A person gives a failed delivery a new budget. Its old attempts are looked at first. */
  async retry(deliveryId: string, by: string): Promise<Applied> {
    const { ledger, policy, clock } = this.#deps;
    const event: DeliveryEvent = { type: "retried_by_person", at: clock.now(), by, budget: policy.maxAttempts };
    const applied = await ledger.commit(deliveryId, [event]);
    if (applied.outcome === "applied") void this.tend(applied.record.laneId);
    return applied;
  }

  /** A look outside the schedule: somebody replied to a message that had failed for good. */
  async lookForLateProof(deliveryId: string, laneId: string): Promise<void> {
    await this.#behindGate(laneId, async () => {
      const [record, lane] = await this.#load(deliveryId, laneId);
      if (record?.status === "failed_terminal" && lane) await this.#look(record, lane);
    });
  }

  async #load(deliveryId: string, laneId: string): Promise<[DeliveryRecord | null, Lane | null]> {
    const { store } = this.#deps;
    return Promise.all([store.delivery(deliveryId), store.lane(laneId)]);
  }

  /** Trouble in one lane is reported, costs it some time, and touches no other lane. */
  async #behindGate(laneId: string, work: () => Promise<void>): Promise<void> {
    if (this.#deps.closing.aborted) return;
    try {
      await this.#gate.run(laneId, work);
    } catch (error) {
      this.#queued.delete(laneId);
      this.#deps.onTrouble({ laneId, error });
      this.#waits.postpone(laneId, messageOf(error));
    }
  }

  async #tendNow(laneId: string, lookNow: boolean): Promise<void> {
    const { store, clock } = this.#deps;
    let look = lookNow;
    while (!this.#deps.closing.aborted) {
      const lane = await store.lane(laneId);
      if (!lane) return;
      if (lane.sessionId !== null) this.#laneOfSession.set(lane.sessionId, laneId);
      const outstanding = await store.outstanding(laneId);
      if (outstanding) {
        if (!look && (outstanding.nextLookAt ?? 0) > clock.now()) return;
        look = false;
        if ((await this.#look(outstanding, lane)) === "rests") return;
        continue;
      }
      const head = await store.head(laneId);
      if (!head || (await this.#take(head, lane)) === "rests") return;
    }
  }

  /** The head of a free lane: sent, unless something speaks against it. */
  async #take(head: DeliveryRecord, lane: Lane): Promise<Progress> {
    if (await this.#expire(head, lane)) return "moved";
    if (lane.pausedReason !== null) return "rests";
    // Sent before, and retried by a person: the old attempts may have been answered since.
    if (head.attemptList.length > 0) return this.#look(head, lane);
    return this.#submit(head, lane);
  }

  async #expire(record: DeliveryRecord, lane: Lane): Promise<boolean> {
    const at = this.#deps.clock.now();
    if (record.status !== "pending" || record.attemptList.length > 0) return false;
    if (record.expiresAt === null || record.expiresAt > at) return false;
    const mail = [this.#deps.replies.expiry(record, lane, at)];
    const applied = await this.#deps.ledger.commit(record.id, [this.#withdrawal("sender", "expired", at)], mail);
    return applied.outcome === "applied";
  }

  #withdrawal(by: string, reason: "withdrawn" | "expired", at: number): DeliveryEvent {
    return { type: "withdrawn", at, by, reason, readCommitted: this.#deps.mailbox.commitsWithLedger, lookAt: at };
  }

  async #look(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    const { policy, clock, mailbox } = this.#deps;
    if (record.readCommittedAt === null && (record.status === "responded" || record.status === "cancelled")) {
      return this.#commitRead(record, lane);
    }
    const runtime = this.#deps.runtimes.get(record.runtimeKind ?? lane.runtime);
    if (record.runtimeKind !== null && record.runtimeKind !== lane.runtime && record.status !== "failed_terminal") {
      return this.#commitFailure(record, lane, "recipient_runtime_identity_changed");
    }
    const observation = await readObservation(record, { ...this.#deps, lane, runtime });
    const decision = decide({
      record,
      observation,
      reply: await this.#destinationReply(record, lane),
      contract: lane.contract,
      traits: runtime?.traits ?? { takesIds: true, sendingAgain: "swallowed", attachments: false },
      policy,
      readCommitsWithLedger: mailbox.commitsWithLedger,
      paused: lane.pausedReason !== null,
      now: clock.now(),
    });
    switch (decision.do) {
      case "nothing":
        if (record.status === "pending") this.#waits.postpone(lane.id, observation.reason ?? observation.state);
        return "rests";
      case "submit":
        return this.#submit(record, lane);
      case "commit":
        if (decision.abort && record.runtimeSessionId !== null) await this.#abort(lane, record.runtimeSessionId);
        return this.#commit(record, lane, decision.events, decision.answer);
      default:
        return decision satisfies never;
    }
  }

  async #submit(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    const prepared = await this.#sender.prepare(record, lane);
    switch (prepared.outcome) {
      case "ready":
        this.#waits.clear(lane.id);
        return this.#commit(record, prepared.lane, prepared.events, null);
      case "impossible":
        return this.#commitFailure(record, lane, prepared.reason);
      case "not_now":
        if (record.status !== "pending") {
          return this.#commit(record, lane, [prepared.event], null);
        }
        this.#waits.postpone(lane.id, prepared.reason);
        return "rests";
      default:
        return prepared satisfies never;
    }
  }

  #commitFailure(record: DeliveryRecord, lane: Lane, reason: string): Promise<Progress> {
    const at = this.#deps.clock.now();
    return this.#commit(record, lane, [{ type: "failed_terminal", at, reason, observed: null, lookAt: null }], null);
  }

  async #commitRead(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    const { mailbox, clock, policy } = this.#deps;
    const result = await mailbox.commitRead(record);
    const at = clock.now();
    if (result.outcome === "failed") {
      const lookAt = nextLook(record, policy, at);
      return this.#commit(record, lane, [{ type: "read_commit_failed", at, error: result.error, lookAt }], null);
    }
    const diagnostics = result.outcome === "row_gone" ? ["mailbox_row_gone"] : [];
    return this.#commit(record, lane, [{ type: "read_committed", at, diagnostics }], null);
  }

  async #commit(
    record: DeliveryRecord,
    lane: Lane,
    events: readonly DeliveryEvent[],
    answer: string | null,
  ): Promise<Progress> {
    const { ledger, store, replies, clock } = this.#deps;
    const at = clock.now();
    const mail = answer === null ? [] : [replies.answer(record, lane, answer, at)];
    for (const event of events) {
      if (event.type === "failed_terminal") mail.push(replies.failure(record, lane, event.reason, at));
    }
    const applied = await ledger.commit(record.id, events, mail);
    if (applied.outcome === "applied") {
      await this.#perform(applied.record, lane, applied.effects);
      return "moved";
    }
    // Somebody else was faster, as a person's stop may be: the newest record is looked at again.
    const newest = await store.delivery(record.id);
    if (newest && newest.version !== record.version) return "moved";
    throw new Error(`${events.map((event) => event.type).join(", ")} refused: ${applied.reason}`);
  }

  async #perform(record: DeliveryRecord, lane: Lane, effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      switch (effect.type) {
        case "send": {
          if (record.status !== "submitting") break;
          const event = await this.#sender.send(record, lane, effect.attempt);
          const mail: OutgoingMail[] = [];
          if (event.type === "failed_terminal") {
            mail.push(this.#deps.replies.failure(record, lane, event.reason, event.at));
          }
          // Refused only when a person cancelled in between; then the abort is next in line.
          await this.#deps.ledger.commit(record.id, [event], mail);
          break;
        }
        case "abort":
          await this.#abort(lane, effect.sessionId);
          break;
        case "commit_read":
          await this.#commitRead(record, lane);
          break;
        case "lane_free":
          // The loop in `#tendNow` goes on by itself; for changes from outside a lane is tended by the caller.
          break;
        default:
          effect satisfies never;
      }
    }
  }

  async #abort(lane: Lane, sessionId: string): Promise<void> {
    const { runtimes, policy } = this.#deps;
    const runtime = runtimes.get(lane.runtime);
    if (!runtime) return;
    try {
      await withDeadline(this.#deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
    } catch (error) {
      // The turn's end is owed until a read shows it, so the next look aborts again.
      this.#deps.onTrouble({ laneId: lane.id, error });
    }
  }

  /** The strongest proof there is: the answer stands where it belongs and names the message. */
  async #destinationReply(record: DeliveryRecord, lane: Lane): Promise<DestinationReply | null> {
    if (!isOutstanding(record) && record.status !== "failed_terminal" && record.status !== "pending") return null;
    const replies = await this.#deps.store.repliesTo(record.messageId, laneSpeaker(lane));
    const best = replies.find((reply) => judgeReply(reply, lane.contract).sufficient) ?? replies.at(-1);
    if (!best) return null;
    const mailbox = best.recipient.kind === "person" ? best.recipient.name : best.recipient.lane;
    return { messageId: best.id, mailbox, text: best.text, summary: best.summary };
  }
}

function laneInUse(laneId: string, open: number): AppError {
  return new AppError({
    code: "lane_in_use",
    message: `Lane "${laneId}" has ${open} open ${open === 1 ? "delivery" : "deliveries"}.`,
    hint: "Wait for them, or force it: then they end as cancelled.",
  });
}
