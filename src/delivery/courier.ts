/**
 * Moves the head message of each lane forward. It carries out what `decide` and `transition` say and decides
 * nothing itself: it reads transcripts, commits events, sends prompts, aborts turns.
 *
 * Everything happens behind the lane's gate. A commit always comes before the effect that it allows, so that a crash
 * at any point leaves a record from which the next look can go on.
 */
import { messageOf } from "../app-error.ts";
import { withDeadline } from "../deadline.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { DueLook, OutgoingMail } from "../store/port.ts";
import type { AskBook } from "./ask-book.ts";
import { decide } from "./decide.ts";
import type { DestinationReply } from "./decision.ts";
import type { DeliveryEvent, Effect } from "./delivery-event.ts";
import { afterFileLook } from "./further.ts";
import type { Lane } from "./lane.ts";
import { LaneGate } from "./lane-gate.ts";
import type { Ledger } from "./ledger.ts";
import { LimitKeeper } from "./limit-keeper.ts";
import type { MissingFiles } from "./missing-files.ts";
import { findOldAttempts } from "./old-attempts.ts";
import { readObservation } from "./reading.ts";
import type { DeliveryRecord } from "./record.ts";
import { isOutstanding, isOwed } from "./record.ts";
import { lateLook, nextLook } from "./retry.ts";
import type { SenderDeps } from "./sender.ts";
import { Sender } from "./sender.ts";
import { judgeReply } from "./sufficiency.ts";
import { Waits } from "./waits.ts";

/** What is written back to a sender, in the same transaction as the end of the delivery. */
export type ReplyWriter = {
  answer(record: DeliveryRecord, lane: Lane, text: string, at: number): OutgoingMail;
  failure(record: DeliveryRecord, lane: Lane, reason: string, at: number): OutgoingMail;
  expiry(record: DeliveryRecord, lane: Lane, at: number): OutgoingMail;
};

export type CourierDeps = SenderDeps & {
  ledger: Ledger;
  mailbox: Mailbox;
  replies: ReplyWriter;
  asks: AskBook;
  missingFiles: MissingFiles;
};

/** Whether anything changed, so that the lane is worth another look at once. */
type Progress = "moved" | "rests";

export class Courier {
  readonly #deps: CourierDeps;
  readonly #gate = new LaneGate();
  readonly #sender: Sender;
  readonly #waits: Waits;
  readonly #limits: LimitKeeper;
  readonly #queued = new Map<string, { look: boolean; done: Promise<void> }>();
  readonly #laneOfSession = new Map<string, string>();
  readonly #unsubscribe: (() => void)[] = [];
  #onHold = false;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
    this.#waits = new Waits(deps.clock, deps.policy, (laneId) => void this.moveLane(laneId));
    this.#limits = new LimitKeeper(deps, (laneId) => void this.moveLane(laneId, { look: true }));
    this.#sender = new Sender(deps);
  }

  /** Hints are listened to before anything is sent. */
  start(): void {
    for (const runtime of this.#deps.runtimes.values()) {
      this.#unsubscribe.push(
        runtime.onHint((hint) => {
          const laneId = this.#laneOfSession.get(hint.sessionId);
          if (laneId !== undefined) void this.moveLane(laneId, { look: true });
        }),
      );
    }
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
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
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

  /** Ends whatever runs in the lane's session, unless another delivery than `holder` has got the lane meanwhile. */
  stopTurn(laneId: string, holder: string | null): Promise<void> {
    return this.behindGate(laneId, async () => {
      const { store } = this.#deps;
      const [lane, outstanding] = await Promise.all([store.lane(laneId), store.outstanding(laneId)]);
      if (outstanding && outstanding.id !== holder) return;
      if (lane?.sessionId) await this.#abort(lane, lane.sessionId);
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
    let look = lookNow;
    while (!closing.aborted) {
      const found = await store.lane(laneId);
      if (!found) return;
      const lane = await this.#limits.reconsidered(found);
      if (lane.sessionId !== null) this.#laneOfSession.set(lane.sessionId, laneId);
      const outstanding = await store.outstanding(laneId);
      if (outstanding) {
        this.#waits.clear(laneId);
        if (!look && (outstanding.nextLookAt ?? 0) > clock.now()) return;
        look = false;
        if ((await this.#look(outstanding, lane)) === "rests") return;
        continue;
      }
      const head = await store.head(laneId);
      if (!head) return this.#waits.clear(laneId);
      if ((await this.#take(head, lane)) === "rests") return;
    }
  }

  /** Deliveries that do not hold their lane and are due all the same: expiry, late proof, an owed read. */
  async #lookAside(deliveryId: string, laneId: string): Promise<void> {
    const { store, ledger, clock } = this.#deps;
    const [record, lane] = await Promise.all([store.delivery(deliveryId), store.lane(laneId)]);
    if (!record) return;
    if (lane && record.status === "pending") {
      await this.#expire(record, lane);
    } else if (lane && (record.status === "failed_terminal" || owesAside(record))) {
      await this.#look(record, lane);
    } else if (!lane && record.claims !== null) {
      const at = clock.now();
      await ledger.commit(record.id, [{ type: "files_looked_for", at, missing: [], next: null, lookAt: at }]);
    } else if (!lane && record.status === "failed_terminal") {
      const nothing = { observed: null, found: false, missed: false, lookAt: null };
      await ledger.commit(record.id, [{ type: "looked", at: clock.now(), reason: "lane_removed", ...nothing }]);
    }
  }

  /** The head of a free lane: sent, unless something speaks against it. */
  async #take(head: DeliveryRecord, lane: Lane): Promise<Progress> {
    if (head.acceptanceUnknown) return this.#takeRebuilt(head, lane);
    if (await this.#expire(head, lane)) return "moved";
    if (lane.pausedReason !== null) return "rests";
    // Sent before, and retried by a person: the old attempts may have been answered since.
    return head.attemptList.length > 0 ? this.#look(head, lane) : this.#submit(head, lane);
  }

  /** Its record was lost: what stands in the agent's transcripts was sent, and only what does not is as new. */
  async #takeRebuilt(head: DeliveryRecord, lane: Lane): Promise<Progress> {
    const runtime = this.#deps.runtimes.get(lane.runtime);
    if (!runtime) return this.#postpone(lane, "runtime_not_active");
    const found = await findOldAttempts(head, { ...this.#deps, lane, runtime });
    const at = this.#deps.clock.now();
    return this.#commit(head, lane, [{ type: "attempts_searched", at, found, runtimeKind: runtime.kind, lookAt: at }]);
  }

  async #expire(record: DeliveryRecord, lane: Lane): Promise<boolean> {
    const { clock, ledger, replies, mailbox } = this.#deps;
    const at = clock.now();
    if (record.status !== "pending" || record.attemptList.length > 0 || record.acceptanceUnknown) return false;
    if (record.expiresAt === null || record.expiresAt > at) return false;
    const readCommitted = mailbox.commitsWithLedger;
    const event: DeliveryEvent = { type: "withdrawn", at, by: "sender", reason: "expired", readCommitted, lookAt: at };
    const applied = await ledger.commit(record.id, [event], [replies.expiry(record, lane, at)]);
    return applied.outcome === "applied";
  }

  async #look(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    const { policy, clock, mailbox, runtimes } = this.#deps;
    const ended = record.status === "responded" || record.status === "cancelled";
    if (ended && record.readCommittedAt === null) return this.#commitRead(record, lane);
    if (record.claims !== null) return this.#lookForFiles(record, lane, record.claims.names);
    if (record.runtimeKind !== null && record.runtimeKind !== lane.runtime && record.status !== "failed_terminal") {
      return this.#leaveBehind(record, lane, ended);
    }
    const runtime = runtimes.get(record.runtimeKind ?? lane.runtime);
    const observation = await readObservation(record, { ...this.#deps, lane, runtime });
    const decision = decide({
      record,
      observation,
      reply: await this.#destinationReply(record, lane),
      contract: lane.contract,
      traits: runtime?.traits ?? unknownTraits,
      policy,
      readCommitsWithLedger: mailbox.commitsWithLedger,
      paused: lane.pausedReason !== null,
      now: clock.now(),
    });
    switch (decision.do) {
      case "nothing":
        return record.status === "pending" ? this.#postpone(lane, observation.reason ?? observation.state) : "rests";
      case "submit":
        return this.#submit(record, lane);
      case "commit": {
        const progress = await this.#commit(record, lane, decision.events, decision.answer);
        if (decision.abort && record.runtimeSessionId !== null) await this.#abort(lane, record.runtimeSessionId);
        return progress;
      }
      default:
        return decision satisfies never;
    }
  }

  /** A hint does not make a file appear: what is looked for has its dates. */
  async #lookForFiles(record: DeliveryRecord, lane: Lane, names: readonly string[]): Promise<Progress> {
    const { missingFiles, policy, clock } = this.#deps;
    if ((record.nextLookAt ?? 0) > clock.now()) return "rests";
    const missing = await missingFiles(lane.directory, names);
    const now = clock.now();
    return this.#commit(record, lane, [afterFileLook({ record, missing, contract: lane.contract, policy, now })]);
  }

  /** The lane has moved to another runtime; what was sent through the old one is not carried over. */
  #leaveBehind(record: DeliveryRecord, lane: Lane, ended: boolean): Promise<Progress> {
    const at = this.#deps.clock.now();
    return ended
      ? this.#commit(record, lane, [{ type: "turn_ended", at }])
      : this.#fail(record, lane, "recipient_runtime_identity_changed");
  }

  async #submit(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    // Before it is prepared: that may open a session, or end one.
    if (this.#onHold) return "rests";
    const prepared = await this.#sender.prepare(record, lane);
    switch (prepared.outcome) {
      case "ready":
        if (await this.#limits.stops(lane)) return "rests";
        if (prepared.lane.sessionId) this.#laneOfSession.set(prepared.lane.sessionId, lane.id);
        return this.#commit(record, prepared.lane, prepared.events);
      case "impossible":
        return record.status === "responded"
          ? this.#commit(record, lane, [{ type: "turn_ended", at: this.#deps.clock.now() }])
          : this.#fail(record, lane, prepared.reason);
      case "not_now":
        return record.status === "pending"
          ? this.#postpone(lane, prepared.reason)
          : this.#commit(record, lane, [prepared.event]);
      default:
        return prepared satisfies never;
    }
  }

  #postpone(lane: Lane, reason: string): Progress {
    this.#waits.postpone(lane.id, reason);
    return "rests";
  }

  #fail(record: DeliveryRecord, lane: Lane, reason: string): Promise<Progress> {
    const { clock, policy } = this.#deps;
    const at = clock.now();
    const lookAt = record.attemptList.length > 0 ? lateLook(0, policy, at) : null;
    return this.#commit(record, lane, [{ type: "failed_terminal", at, reason, observed: null, lookAt }]);
  }

  async #commitRead(record: DeliveryRecord, lane: Lane): Promise<Progress> {
    const { mailbox, clock, policy } = this.#deps;
    const result = await mailbox.commitRead(record);
    const at = clock.now();
    if (result.outcome === "failed") {
      const lookAt = nextLook(record, policy, at);
      return this.#commit(record, lane, [{ type: "read_commit_failed", at, error: result.error, lookAt }]);
    }
    const diagnostics = result.outcome === "row_gone" ? ["mailbox_row_gone"] : [];
    return this.#commit(record, lane, [{ type: "read_committed", at, diagnostics }]);
  }

  async #commit(
    record: DeliveryRecord,
    lane: Lane,
    events: readonly DeliveryEvent[],
    answer: string | null = null,
  ): Promise<Progress> {
    const { ledger, store } = this.#deps;
    // Its date stays, so that it is due at the next start; until then the watchdog backs off. What was committed before
    // the hold is still sent: left behind unsent, it would look like a turn that runs.
    if (this.#onHold && events.some(sends)) return "rests";
    const applied = await ledger.commit(record.id, events, this.#mailFor(record, lane, events, answer));
    if (applied.outcome === "applied") {
      await this.#perform(applied.record, lane, applied.effects);
      return "moved";
    }
    // Whoever lets the lane go on sets it going.
    if (applied.reason === "lane_paused") return "rests";
    // Somebody else was faster, as a person's stop may be: the newest record is looked at again.
    const newest = await store.delivery(record.id);
    if (newest && newest.version !== record.version) return "moved";
    throw new Error(`${events.map((event) => event.type).join(", ")} refused: ${applied.reason}`);
  }

  /** The agent's answer, and the news that nothing more will come. */
  #mailFor(
    record: DeliveryRecord,
    lane: Lane,
    events: readonly DeliveryEvent[],
    answer: string | null,
  ): OutgoingMail[] {
    const { replies, clock } = this.#deps;
    const at = clock.now();
    const bad = events.flatMap((event) =>
      event.type === "failed_terminal" || (event.type === "cancelled" && event.by === "session") ? [event.reason] : [],
    );
    return [
      ...(answer === null ? [] : [replies.answer(record, lane, answer, at)]),
      ...bad.map((reason) => replies.failure(record, lane, reason, at)),
    ];
  }

  async #perform(record: DeliveryRecord, lane: Lane, effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      switch (effect.type) {
        case "send": {
          const event = await this.#sender.send(record, lane, effect.attempt);
          // Refused only when a person cancelled in between; then the next look stops the turn.
          if (event) await this.#deps.ledger.commit(record.id, [event], this.#mailFor(record, lane, [event], null));
          break;
        }
        case "commit_read":
          await this.#commitRead(record, lane);
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
      if (!this.#deps.closing.aborted) this.#deps.onTrouble({ laneId: lane.id, error });
    }
  }

  /** The strongest proof there is: the answer stands where it belongs, is from this lane, and names the message. */
  async #destinationReply(record: DeliveryRecord, lane: Lane): Promise<DestinationReply | null> {
    const wanted = record.replyRecipient.toLowerCase();
    const replies = (await this.#deps.store.repliesTo(record.messageId, lane.id)).flatMap((reply) => {
      const mailbox = reply.recipient.kind === "person" ? reply.recipient.name : reply.recipient.lane;
      return mailbox.toLowerCase() === wanted ? [{ ...reply, mailbox }] : [];
    });
    const best = replies.find((reply) => judgeReply(reply, lane.contract).sufficient) ?? replies.at(-1);
    return best ? { messageId: best.id, mailbox: best.mailbox, text: best.text, summary: best.summary } : null;
  }
}

/** Due, and in nobody's way: its lane is free or somebody else's. */
function owesAside(record: DeliveryRecord): boolean {
  return (isOwed(record) || record.claims !== null) && !isOutstanding(record);
}

function sends(event: DeliveryEvent): boolean {
  return event.type === "submit" || event.type === "send_again" || event.type === "asked_further";
}

/** While a runtime is not there nothing can be read, so nothing of this is used to decide. */
const unknownTraits = { takesIds: true, sendingAgain: "swallowed", attachments: false } as const;
