import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../src/core/decision/decide.ts";
import { afterFileCheck } from "../../src/core/decision/follow-up.ts";
import type { DeliveryEvent } from "../../src/core/delivery/delivery-event.ts";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../src/core/delivery/record.ts";
import { isOutstanding } from "../../src/core/delivery/record.ts";
import { brokenRules } from "../../src/core/delivery/record-rules.ts";
import { nextReconcileAt } from "../../src/core/delivery/schedule.ts";
import { actionModes } from "../../src/core/message/message.ts";
import { unreadable } from "../../src/core/proof/observation.ts";
import { observe } from "../../src/core/proof/observe.ts";
import type { TranscriptRow } from "../../src/core/transcript/transcript.ts";
import { aRecord, having, submitEvent } from "../support/core/records.ts";
import { anAsk, answerRow, aSlice, aTool, toolRow, userRow } from "../support/core/transcript.ts";

/** What an agent may have done with a prompt by the time of a reconcile. */
const turns: Record<string, (prompt: string) => TranscriptRow[]> = {
  nothing: () => [],
  open: (prompt) => [answerRow(prompt, { completedAt: null, finish: null })],
  empty: (prompt) => [answerRow(prompt)],
  answer: (prompt) => [answerRow(prompt, { text: "The port is 8080." })],
  acknowledgement: (prompt) => [answerRow(prompt, { text: "Got it, will do" })],
  work: (prompt) => [toolRow(prompt, [aTool("bash")])],
  silentWork: (prompt) => [toolRow(prompt, [aTool("write")]), answerRow(prompt)],
  files: (prompt) => [answerRow(prompt, { text: "Wrote notes.txt and more.md." })],
  lookup: (prompt) => [toolRow(prompt, [aTool("read")]), answerRow(prompt)],
  running: (prompt) => [toolRow(prompt, [aTool("bash", { status: "running" })], { completedAt: null })],
  refusal: (prompt) => [toolRow(prompt, [aTool("bash", { status: "error", rejected: true })])],
  aborted: (prompt) => [answerRow(prompt, { error: { kind: "aborted", message: "aborted" } })],
  failed: (prompt) => [answerRow(prompt, { error: { kind: "failed", message: "the model went away" } })],
  unpaid: (prompt) => [answerRow(prompt, { error: { kind: "failed", message: "Insufficient balance" } })],
};

const anyInput = fc.record({
  later: fc.constantFrom(0, 0, 1000, 5000, 20_000, 45_000, 60_000, 16 * 60_000),
  hint: fc.boolean(),
  status: fc.constantFrom("idle" as const, "idle" as const, "busy" as const, "retry" as const, "stale" as const),
  ask: fc.constantFrom(null, null, null, "permission" as const, "question" as const),
  readable: fc.constantFrom(true, true, true, false),
  found: fc.constantFrom(true, true, false),
  laterPrompt: fc.constantFrom(false, false, true),
  activity: fc.constantFrom(null, 1, 2),
  turn: fc.constantFrom(...Object.keys(turns)),
  reply: fc.constantFrom(null, null, "Port 8080.", "Will do"),
  paused: fc.constantFrom(false, false, true),
  automaticRetry: fc.constantFrom(true, true, true, false),
  followUp: fc.boolean(),
  missing: fc.constantFrom([], ["notes.txt"]),
  sent: fc.constantFrom("accepted", "accepted", "unknown", "not_sent", "refused", "crash"),
  person: fc.constantFrom(null, null, null, null, "cancel", "retry"),
});
type AnyInput = typeof anyInput extends fc.Arbitrary<infer T> ? T : never;

/** A delivery that is reconciled repeatedly, as the courier would, without the courier. */
class Life {
  record: DeliveryRecord;
  now = 10_000;
  #generation = 1;

  constructor(record: DeliveryRecord) {
    this.record = having(record, submitEvent(1, this.now));
  }

  apply(...events: readonly DeliveryEvent[]): void {
    for (const event of events) {
      this.record = having(this.record, event);
      expect(brokenRules(this.record)).toEqual([]);
    }
  }

  act(person: AnyInput["person"]): void {
    const { status } = this.record;
    const at = this.now;
    if (person === "cancel" && status !== "responded" && status !== "cancelled") {
      this.apply({
        type: "cancelled",
        at,
        by: "ada",
        reason: "cancelled_by_person",
        readCommitted: true,
        reconcileAt: at,
      });
    }
    if (person === "retry" && status === "failed_terminal") {
      this.apply({ type: "retried_by_person", at, by: "ada", budget: 3 });
    }
  }

  observation(look: AnyInput, takesIds: boolean) {
    if (!look.readable) return unreadable("no answer");
    const { attemptList, messageId, replyRecipient } = this.record;
    const last = attemptList.at(-1);
    const slices = [...new Set(attemptList.map((attempt) => attempt.sessionId))].map((sessionId) => {
      const rows = attemptList.flatMap((attempt) => {
        if (attempt.sessionId !== sessionId || (attempt === last && !look.found)) return [];
        const turn = turns[attempt === last ? look.turn : "empty"];
        const text = `[waybill message ${messageId} from user]`;
        return [userRow(attempt.messageId, { text }), ...(turn?.(attempt.messageId) ?? [])];
      });
      const asks = look.ask ? [anAsk(look.ask, { sessionId })] : [];
      const { status, activity } = look;
      const after = look.laterPrompt ? [userRow("somebody else's")] : [];
      return aSlice([...rows, ...after], { sessionId, status, asks, lastActivityAt: activity });
    });
    return observe({ slices, attempts: attemptList, messageId, replyRecipient, takesIds });
  }

  /** What the courier does with a due attempt: sends it if the session is idle, and otherwise postpones it. */
  submit(look: AnyInput): "sent" | "put off" {
    const { record, now: at } = this;
    const busy = look.status === "busy" || look.status === "retry" || look.ask !== null || !look.readable;
    if (busy && record.nextAttempt?.freshSession !== true) {
      if (record.status === "pending") return "put off";
      const nothing = { observed: null, reason: null, found: false, missed: false };
      this.apply({ type: "reconciled", at, ...nothing, reconcileAt: nextReconcileAt(record, defaultPolicy, at) });
      return "put off";
    }
    const number = record.attemptList.length + 1;
    if (record.nextAttempt?.freshSession || look.status === "stale") this.#generation += 1;
    const session = { generation: this.#generation, sessionId: `ses-${this.#generation}` };
    const spends = record.nextAttempt?.spends ?? "attempts";
    const submit = submitEvent(number, at, { spends, ...session, messageId: `msg-${number}-${this.#generation}` });
    if (record.status === "responded" && record.nextAttempt && submit.type === "submit") {
      const attempt = { ...submit.attempt, kind: record.nextAttempt.kind };
      this.apply({ type: "submit_follow_up", at, attempt, runId: "run", reconcileAt: at + 5000 });
    } else {
      this.apply(submit);
    }
    this.arrive(look);
    return "sent";
  }

  arrive({ sent }: AnyInput): void {
    const { record, now: at } = this;
    const soon = nextReconcileAt(record, defaultPolicy, at);
    const number = record.attemptList.length;
    if (record.status === "responded") return;
    if (sent === "accepted") this.apply({ type: "accepted", at, number, reconcileAt: at + 20_000 });
    if (sent === "unknown") this.apply({ type: "acceptance_unknown", at, reason: "timeout", reconcileAt: soon });
    if (sent === "not_sent") this.apply({ type: "not_sent", at, reason: "down", reconcileAt: soon });
    if (sent === "refused")
      this.apply({ type: "failed_terminal", at, reason: "no", observed: null, reconcileAt: soon });
  }
}

test("every decision is accepted by the transition table, sends only when allowed, and comes to rest", () => {
  fc.assert(
    fc.property(
      fc.array(anyInput, { minLength: 3, maxLength: 25 }),
      fc.constantFrom(...actionModes, null),
      fc.constantFrom("text" as const, "tool" as const),
      fc.constantFrom("reruns" as const, "swallowed" as const),
      fc.boolean(),
      (looks, actionMode, contract, sendingAgain, takesIds) => {
        const life = new Life(aRecord({ actionMode }));
        for (const look of looks) {
          life.now += look.later;
          life.act(look.person);
          for (let hint = look.hint, rounds = 0; isWorthALook(life, hint); hint = false) {
            rounds += 1;
            expect(rounds).toBeLessThan(9);
            if (life.record.claims) {
              if ((life.record.nextReconcileAt ?? 0) > life.now) break;
              const { record, now } = life;
              life.apply(afterFileCheck({ record, missing: look.missing, contract, policy: policyFor(look), now }));
              continue;
            }
            const decision = decide({
              record: life.record,
              observation: life.observation(look, takesIds),
              reply: look.reply ? { messageId: "r", mailbox: "user", text: look.reply, summary: null } : null,
              contract,
              traits: { takesIds, sendingAgain, attachments: [], takesSystem: false },
              policy: policyFor(look),
              readCommitsWithLedger: true,
              paused: look.paused,
              now: life.now,
            });
            if (decision.do === "nothing") {
              const waits =
                life.record.status === "pending" ||
                (life.record.nextReconcileAt ?? Number.POSITIVE_INFINITY) > life.now;
              expect(waits).toBe(true);
              break;
            }
            if (decision.do === "submit") {
              expect(look.paused && life.record.status !== "pending").toBe(false);
              if (life.submit(look) === "put off" && life.record.status === "pending") break;
              continue;
            }
            const sendsAgain = decision.events.some((event) => event.type === "send_again");
            const mayNot =
              look.ask !== null || !look.readable || look.paused || ["busy", "retry"].includes(look.status);
            expect(sendsAgain && mayNot).toBe(false);
            life.apply(...decision.events);
            if (sendsAgain) life.arrive(look);
          }
        }
      },
    ),
    { numRuns: 3000 },
  );
});

function policyFor({ automaticRetry, followUp }: AnyInput) {
  return { ...defaultPolicy, automaticRetry, followUpMissingFiles: followUp };
}

function isWorthALook({ record, now }: Life, hint: boolean): boolean {
  if (record.status === "pending") return true;
  if (!isOutstanding(record) && record.status !== "failed_terminal") return false;
  return hint || (record.nextReconcileAt ?? Number.POSITIVE_INFINITY) <= now;
}
