/**
 * Prepares an attempt (a session that is at rest, ids, the event that is committed before anything leaves) and sends
 * it once it is durable. Nothing is submitted unless a fresh read says that the session is idle.
 */
import { AppError, messageOf } from "../app-error.ts";
import type { Attempt } from "../core/delivery/attempt.ts";
import { attemptDigest } from "../core/delivery/attempt.ts";
import type { DeliveryEvent, EventOf, NewAttempt } from "../core/delivery/delivery-event.ts";
import type { FailPointHook } from "../core/delivery/fail-points.ts";
import type { Policy } from "../core/delivery/policy.ts";
import { missingFilesOf, promptText } from "../core/delivery/prompt-text.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { graceOf, lateReconcileAt, nextReconcileAt, quietAfter } from "../core/delivery/schedule.ts";
import type { Lane } from "../core/lane/lane.ts";
import { hasRunningTool } from "../core/proof/observe.ts";
import { digestOf } from "../core/transcript/digest.ts";
import type { TranscriptSlice } from "../core/transcript/transcript.ts";
import type { Runtime, SubmitOutcome } from "../runtimes/port.ts";
import type { Store } from "../store/port.ts";
import type { TimeoutContext } from "../timeout.ts";
import { withTimeout } from "../timeout.ts";
import { readSlice } from "./read-transcript.ts";

export type Prepared =
  | { outcome: "ready"; lane: Lane; events: readonly DeliveryEvent[] }
  /** Wait and look again; `event` puts off a scheduled retry. */
  | { outcome: "not_now"; reason: string; event: EventOf<"looked"> }
  | { outcome: "impossible"; reason: string };

type SendEvent = EventOf<"accepted" | "acceptance_unknown" | "not_sent" | "failed_terminal" | "looked" | "turn_ended">;

export type SenderDeps = TimeoutContext & {
  store: Store;
  runtimes: ReadonlyMap<string, Runtime>;
  policy: Policy;
  runId: string;
  failPoint: FailPointHook;
  /** Something that nobody foresaw. It is tried again later. */
  onError: (failure: { laneId?: string; error: unknown }) => void;
};

export class Sender {
  readonly #deps: SenderDeps;
  /** Sessions that were opened and could not be written down, as on a full disk; the next try takes them. */
  readonly #unstored = new Map<string, string>();
  /** Busy sessions that keep a message waiting, and how long they have been quiet. */
  readonly #inTheWay = new Map<string, Pick<DeliveryRecord, "quietMs" | "activityAt" | "lastObservedAt">>();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  async prepare(record: DeliveryRecord, lane: Lane): Promise<Prepared> {
    const { runtimes, store } = this.#deps;
    const runtime = runtimes.get(lane.runtime);
    if (!runtime) return this.#notNow(record, "runtime_not_active");
    const message = await store.message({ kind: "lane", lane: lane.id }, record.messageId);
    if (!message) return { outcome: "impossible", reason: "message_gone" };
    if (message.attachments.length > 0 && !runtime.traits.attachments) {
      return { outcome: "impossible", reason: "attachments_not_supported" };
    }
    try {
      const session = await this.#sessionAtRest(record, lane, runtime);
      // It will not come back.
      if (session === "session_replaced") return { outcome: "impossible", reason: session };
      if (typeof session === "string") return this.#notNow(record, session);
      return { outcome: "ready", lane: session.lane, events: await this.#submitEvents(record, session, runtime) };
    } catch (error) {
      return this.#notNow(record, messageOf(error));
    }
  }

  /** The session to send to, read just now; or why it cannot be used yet. */
  async #sessionAtRest(
    record: DeliveryRecord,
    lane: Lane,
    runtime: Runtime,
  ): Promise<{ lane: Lane; slice: TranscriptSlice } | string> {
    const { policy } = this.#deps;
    const reading = { ...this.#deps, lane, runtime };
    const further = record.status === "responded";
    if (lane.sessionId === null) return this.#freshSession(lane, runtime);
    const slice = await readSlice(lane.sessionId, policy.readLimit, reading);
    const replace = record.nextAttempt?.freshSession === true && lane.sessionId === record.runtimeSessionId;
    // What is asked further makes no sense to anybody who did not do the work.
    if (further && (slice.status === "stale" || slice.sessionId !== record.runtimeSessionId)) return "session_replaced";
    const leave = replace || (slice.elsewhere === true && !further);
    if (slice.status === "stale" || (slice.status === "idle" && leave)) return this.#freshSession(lane, runtime);
    if (slice.asks.length > 0) return "ask_pending";
    if (slice.status === "idle") {
      this.#inTheWay.delete(slice.sessionId);
      return { lane, slice };
    }
    if (further || (!replace && !this.#isStuck(slice))) return "session_busy";

    const { sessionId } = lane;
    await withTimeout(this.#deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
    const after = await readSlice(sessionId, policy.readLimit, reading);
    const stopped = after.status === "idle" || after.status === "stale";
    return stopped ? this.#freshSession(lane, runtime) : "abort_did_not_stop_the_session";
  }

  /**
   * Also a session that nobody's delivery holds may hang, and must not keep a lane waiting for ever. It is watched from
   * the first time that it was in the way.
   */
  #isStuck(slice: TranscriptSlice): boolean {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    const before = this.#inTheWay.get(slice.sessionId) ?? { quietMs: 0, activityAt: null, lastObservedAt: null };
    const quietMs = quietAfter(before, slice.lastActivityAt, now);
    this.#inTheWay.set(slice.sessionId, { quietMs, activityAt: slice.lastActivityAt, lastObservedAt: now });
    return !hasRunningTool(slice.rows) && quietMs >= policy.stuckAfterMs;
  }

  async #freshSession(lane: Lane, runtime: Runtime): Promise<{ lane: Lane; slice: TranscriptSlice }> {
    const { store, clock, policy } = this.#deps;
    const open = (signal: AbortSignal) => runtime.openSession(lane, signal);
    const sessionId = this.#unstored.get(lane.id) ?? (await withTimeout(this.#deps, policy.submitLimitMs, open));
    this.#unstored.set(lane.id, sessionId);
    const opened = await store.openSession(lane.id, sessionId, clock.now());
    this.#unstored.delete(lane.id);
    return { lane: opened, slice: { ...emptySlice, sessionId } };
  }

  async #submitEvents(
    record: DeliveryRecord,
    { lane, slice }: { lane: Lane; slice: TranscriptSlice },
    runtime: Runtime,
  ): Promise<DeliveryEvent[]> {
    const { clock, policy, runId } = this.#deps;
    const number = record.attemptList.length + 1;
    const at = clock.now();
    const lookAt = nextReconcileAt({ looks: 0 }, policy, at);
    const ids = runtime.idsFrom(attemptDigest(record.id, number, lane.generation));
    const further = record.status === "responded";
    const attempt: NewAttempt = {
      ...ids,
      number,
      kind: further ? (record.nextAttempt?.kind ?? "summary") : number === 1 ? "prompt" : "retry",
      spends: record.nextAttempt?.spends ?? "attempts",
      because: record.lastReason,
      sessionId: slice.sessionId,
      generation: lane.generation,
      prePromptCursor: slice.rows.at(-1)?.id ?? null,
    };
    const submit: DeliveryEvent = further
      ? { type: "asked_further", at, runId, lookAt, attempt }
      : { type: "submit", at, runtimeKind: runtime.kind, runId, lookAt, attempt };
    // The ledger may be older than the agent's transcript, after a restore: what is there is not sent again.
    // Retries are few, so for them it is worth to look at the whole session.
    const whole = number > 1 && !slice.complete;
    const { rows } = whole ? await readSlice(slice.sessionId, null, { ...this.#deps, lane, runtime }) : slice;
    const isThere = rows.some((row) => row.id === ids.messageId);
    if (!isThere) return [submit];
    return [submit, further ? arrived(at, lookAt) : { type: "accepted", at, number, storedAt: at, lookAt }];
  }

  /**
   * Sends a committed attempt and says what became of it: null when it is not to be sent any more. Never throws: what
   * is not known is said to be unknown.
   */
  async send(record: DeliveryRecord, lane: Lane, attempt: Attempt): Promise<SendEvent | null> {
    const { policy, failPoint, runtimes, store } = this.#deps;
    const further = record.status === "responded" && record.turnEndedAt === null;
    if (record.status !== "submitting" && !further) return null;
    const runtime = runtimes.get(lane.runtime);
    let outcome: SubmitOutcome = { outcome: "not_sent", reason: "runtime_not_active" };
    try {
      if (!runtime) return further ? null : this.#sendEvent(record, attempt, outcome);
      const text = await this.#text(record, lane, attempt, runtime);
      const { messageId, partId, sessionId } = attempt;
      // A person may have stopped it since it was committed.
      if ((await store.delivery(record.id))?.version !== record.version) return null;
      failPoint("before_send");
      outcome = await withTimeout(this.#deps, policy.submitLimitMs, (signal) =>
        runtime.submit(lane, { messageId, partId, sessionId, text, attachments: [] }, signal),
      );
      failPoint("after_send");
    } catch (error) {
      outcome = { outcome: "unknown", reason: messageOf(error) };
    }
    return further ? this.#followUpEvent(record, attempt, outcome) : this.#sendEvent(record, attempt, outcome);
  }

  /** The delivery stays `responded`. Whatever is not known of the prompt, the looks that follow will tell. */
  #followUpEvent(record: DeliveryRecord, attempt: Attempt, { outcome }: SubmitOutcome): SendEvent | null {
    const { clock, policy } = this.#deps;
    const at = clock.now();
    if (outcome === "accepted") return arrived(at, at + graceOf(record, policy));
    return outcome === "refused" ? { type: "turn_ended", at, diagnostics: [`${attempt.kind}_not_asked`] } : null;
  }

  #sendEvent(record: DeliveryRecord, attempt: Attempt, outcome: SubmitOutcome): SendEvent {
    const { clock, policy } = this.#deps;
    const at = clock.now();
    const soon = nextReconcileAt({ looks: 0 }, policy, at);
    switch (outcome.outcome) {
      case "accepted":
        return { type: "accepted", at, number: attempt.number, storedAt: at, lookAt: at + graceOf(record, policy) };
      case "unknown":
        return { type: "acceptance_unknown", at, reason: outcome.reason, lookAt: soon };
      case "not_sent":
        return { type: "not_sent", at, reason: outcome.reason, lookAt: nextReconcileAt(record, policy, at) };
      case "refused":
        return {
          type: "failed_terminal",
          at,
          reason: outcome.reason,
          observed: null,
          lookAt: lateReconcileAt(0, policy, at),
        };
      default:
        return outcome satisfies never;
    }
  }

  async #text(record: DeliveryRecord, lane: Lane, attempt: Attempt, runtime: Runtime): Promise<string> {
    const message = await this.#deps.store.message({ kind: "lane", lane: lane.id }, record.messageId);
    if (!message) throw new AppError({ code: "message_gone", message: `Message ${record.messageId} is gone.` });
    const isFirst = attempt.prePromptCursor === null;
    return promptText({
      message,
      contract: lane.contract,
      attempt,
      missingFiles: missingFilesOf(record),
      takesIds: runtime.traits.takesIds,
      digest: isFirst ? await this.#digest(lane, attempt.generation, runtime) : null,
    });
  }

  /** The end of the session before this one, if there was one that can be read; a repair does not fail without it. */
  async #digest(lane: Lane, generation: number, runtime: Runtime): Promise<string | null> {
    const { store, policy, onError } = this.#deps;
    const previous = (await store.sessions(lane.id)).findLast((session) => session.generation < generation);
    if (!previous) return null;
    try {
      const slice = await readSlice(previous.sessionId, policy.readLimit, { ...this.#deps, lane, runtime });
      return digestOf(slice.rows);
    } catch (error) {
      onError({ laneId: lane.id, error });
      return null;
    }
  }

  #notNow(record: DeliveryRecord, reason: string): Prepared {
    const { clock, policy } = this.#deps;
    const at = clock.now();
    const lookAt = nextReconcileAt(record, policy, at);
    return {
      outcome: "not_now",
      reason,
      event: { type: "looked", at, observed: null, reason: null, found: false, missed: false, lookAt },
    };
  }
}

function arrived(at: number, lookAt: number): EventOf<"looked"> {
  return { type: "looked", at, observed: null, reason: null, found: true, missed: false, lookAt };
}

const emptySlice: Omit<TranscriptSlice, "sessionId"> = {
  status: "idle",
  asks: [],
  rows: [],
  complete: true,
  lastActivityAt: null,
};
