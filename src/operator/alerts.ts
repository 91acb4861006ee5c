/**
 * Raises an alert, once, when something waits too long for a person: an ask, a delivery that failed for good, a long
 * turn. An alert changes nothing about its delivery. Each waiting thing has one timer.
 */

import type { Alert, DeliveryRecord } from "../core/delivery/record.ts";
import { openStatuses } from "../core/delivery/record.ts";
import type { AskRegistry } from "../courier/ask-registry.ts";
import type { Clock } from "../platform/clock.ts";
import type { LedgerStore, LogStore } from "../store/port.ts";

export type AlertTimes = {
  askMs: number;
  failureMs: number;
  /** After the first send, without an outcome. */
  lateMs: number;
};

export type AlertsDeps = {
  store: Pick<LedgerStore, "failedWithoutAlert" | "lanesWithWork" | "outstanding"> & Pick<LogStore, "onLog" | "raise">;
  asks: AskRegistry;
  clock: Clock;
  times: AlertTimes;
  onAlert: (alert: Alert) => void;
  onError: (failure: { error: unknown }) => void;
};

type Subject = Omit<Alert, "raisedAt">;

/** By id; each can be cancelled. A raised one stays, so that it is not planned again. */
type Planned = Map<string, () => void>;

/** Retry delay if the store could not save an alert. */
const againAfterMs = 60_000;

export class Alerts {
  readonly #deps: AlertsDeps;
  /** By subject, so that the cost of a change does not depend on how much else waits. */
  readonly #planned = new Map<string, Planned>();
  #unsubscribe: () => void = () => {};
  #stopped = false;

  constructor(deps: AlertsDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { store } = this.#deps;
    this.#unsubscribe = store.onLog((items) => {
      for (const item of items) if (item.type === "delivery") this.#follow(item.record);
      if (items.some(({ type }) => type === "ask")) this.#followAsks();
    });
    this.#followAsks();
    for (const record of await store.failedWithoutAlert()) this.#follow(record);
    for (const laneId of await store.lanesWithWork()) {
      const holder = await store.outstanding(laneId);
      if (holder) this.#follow(holder);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe();
    for (const planned of this.#planned.values()) for (const cancel of planned.values()) cancel();
    this.#planned.clear();
  }

  #follow(record: DeliveryRecord): void {
    const { times } = this.#deps;
    const failed = record.status === "failed_terminal" && record.failedAt !== null ? failure(record) : null;
    this.#keepOnly(`failure of ${record.id}`, failed ? [failed] : [], times.failureMs);
    const late = openStatuses.includes(record.status) ? lateness(record) : null;
    this.#keepOnly(`lateness of ${record.id}`, late ? [late] : [], times.lateMs);
  }

  #followAsks(): void {
    // An ask that no reconcile has observed yet soon will be; in a turn that no delivery started, there is no one to
    // notify.
    const found = this.#deps.asks.list().filter(({ deliveryId }) => deliveryId !== null);
    const waiting = found.map(
      (ask): Subject => ({
        id: `ask:${ask.id}`,
        kind: "ask",
        laneId: ask.laneId,
        deliveryId: ask.deliveryId,
        messageId: ask.messageId,
        askId: ask.id,
        person: ask.person,
        reason: `${ask.kind}_pending`,
        since: ask.since,
      }),
    );
    this.#keepOnly("asks", waiting, this.#deps.times.askMs);
  }

  /** Plans these, and cancels all others with the same subject. */
  #keepOnly(about: string, subjects: readonly Subject[], afterMs: number): void {
    const planned: Planned = this.#planned.get(about) ?? new Map();
    const wanted = new Set(subjects.map((subject) => subject.id));
    for (const [id, cancel] of planned) {
      if (wanted.has(id)) continue;
      cancel();
      planned.delete(id);
    }
    const now = this.#deps.clock.now();
    for (const subject of subjects) {
      // A clock that was ahead may have dated it in the future; it has waited at least since now.
      if (!planned.has(subject.id)) this.#plan(planned, subject, Math.min(subject.since, now) + afterMs);
    }
    if (planned.size > 0) this.#planned.set(about, planned);
    else this.#planned.delete(about);
  }

  #plan(planned: Planned, subject: Subject, at: number): void {
    if (this.#stopped) return;
    planned.set(
      subject.id,
      this.#deps.clock.at(at, () => void this.#raise(planned, subject)),
    );
  }

  async #raise(planned: Planned, subject: Subject): Promise<void> {
    const { store, clock, onAlert, onError } = this.#deps;
    const alert: Alert = { ...subject, raisedAt: clock.now() };
    try {
      if (await store.raise(alert)) onAlert(alert);
    } catch (error) {
      onError({ error });
      // It may have been cancelled in the meantime.
      if (planned.has(subject.id)) this.#plan(planned, subject, clock.now() + againAfterMs);
    }
  }
}

function failure(record: DeliveryRecord): Subject {
  return about(record, {
    id: `failure:${record.id}:${record.failedAt}`,
    kind: "failure",
    reason: record.lastReason ?? "failed",
    since: record.failedAt ?? record.updatedAt,
  });
}

function lateness(record: DeliveryRecord): Subject | null {
  const first = record.attemptList[0];
  const since = first?.submittedAt;
  if (since === undefined) return null;
  return about(record, { id: `late:${record.id}`, kind: "late", reason: "no_outcome_yet", since });
}

function about(record: DeliveryRecord, what: Pick<Alert, "id" | "kind" | "reason" | "since">): Subject {
  const { laneId, id, messageId, replyRecipient } = record;
  return { ...what, laneId, deliveryId: id, messageId, askId: null, person: replyRecipient };
}
