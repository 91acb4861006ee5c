/** Arbitrary events, sensible or not: the rules must hold for all of them, in any order. */
import fc from "fast-check";
import type { AttemptTiming } from "../../../src/core/delivery/attempt.ts";
import { untimed } from "../../../src/core/delivery/attempt.ts";
import type { DeliveryEvent, ObservedFacts } from "../../../src/core/delivery/delivery-event.ts";
import { responseStates } from "../../../src/core/delivery/record.ts";

const time = fc.integer({ min: 1, max: 1_000_000 });
// Mostly small, so that a run gets somewhere before it ends.
const number = fc.constantFrom(1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5);
const reason = fc.constantFrom("empty_assistant_turn", "session_stale", "no_response");
const spends = fc.constantFrom("attempts" as const, "repairs" as const);

const followUpKind = fc.constantFrom("summary" as const, "follow_up" as const);
const further = followUpKind.map((kind) => ({ kind, spends: "follow_ups" as const, freshSession: false }));

const timings: fc.Arbitrary<AttemptTiming[]> = fc.array(
  fc.record({
    number,
    storedAt: fc.option(time),
    firstTokenAt: fc.option(time),
    lastActivityAt: fc.option(time),
    finishedAt: fc.option(time),
  }),
  { maxLength: 2 },
);

const observed: fc.Arbitrary<ObservedFacts> = fc.record({
  state: fc.constantFrom(...responseStates),
  deliveredUserMessageId: fc.option(fc.constant("msg-1")),
  assistantMessageId: fc.option(fc.constant("row-1")),
  toolNames: fc.constantFrom([], ["bash"]),
  newestRowId: fc.option(fc.constant("row-2")),
  lastActivityAt: fc.option(time),
  diagnostics: fc.constantFrom([], ["odd"]),
  timings,
});

/** `owner` keeps the runtime ids of different deliveries apart, as derivation does. */
export function anyEvent(owner: string): fc.Arbitrary<DeliveryEvent> {
  const attempt = fc.record({ number, spends, generation: fc.integer({ min: 1, max: 3 }) }).map((given) => ({
    ...given,
    messageId: `msg-${owner}-${given.number}-${given.generation}`,
    partId: `prt-${owner}-${given.number}-${given.generation}`,
    kind: given.number === 1 ? ("prompt" as const) : ("retry" as const),
    because: null,
    choice: given.number === 1 ? null : { agent: "build", model: null },
    sessionId: `ses-${given.generation}`,
    prePromptCursor: null,
  }));
  const of = <T extends DeliveryEvent>(type: T["type"], fields: { [K in keyof T]?: fc.Arbitrary<T[K]> }) =>
    fc.record({ type: fc.constant(type), at: time, ...fields }) as unknown as fc.Arbitrary<DeliveryEvent>;
  type Of<T extends DeliveryEvent["type"]> = Extract<DeliveryEvent, { type: T }>;

  return fc.oneof(
    {
      weight: 8,
      arbitrary: of<Of<"submit">>("submit", {
        attempt,
        runtimeKind: fc.constantFrom("stub", "stub", "pi"),
        runId: fc.constant("run"),
        reconcileAt: time,
      }),
    },
    { weight: 16, arbitrary: of<Of<"send_again">>("send_again", { number, reconcileAt: time }) },
    { weight: 8, arbitrary: of<Of<"accepted">>("accepted", { number, storedAt: time, reconcileAt: time }) },
    of<Of<"attempts_searched">>("attempts_searched", {
      found: fc
        .array(
          attempt.map((given) => ({
            ...untimed,
            ...given,
            spends: "attempts" as const,
            sends: 1,
            left: true,
            submittedAt: 1,
          })),
          { maxLength: 1 },
        )
        .map((attempts) => attempts.map((given) => ({ ...given, number: 1 }))),
      runtimeKind: fc.constant("stub"),
      reconcileAt: time,
    }),
    of<Of<"acceptance_unknown">>("acceptance_unknown", { reason, reconcileAt: time }),
    of<Of<"not_sent">>("not_sent", { reason, reconcileAt: time }),
    {
      weight: 16,
      arbitrary: of<Of<"reconciled">>("reconciled", {
        observed,
        reason,
        found: fc.boolean(),
        missed: fc.boolean(),
        reconcileAt: fc.option(time),
      }),
    },
    of<Of<"proven">>("proven", {
      attempt: number,
      proof: fc.constant({ by: "plain_text" as const, visibleReply: null }),
      observed: fc.option(observed),
      turnEnded: fc.boolean(),
      readCommitted: fc.boolean(),
      diagnostics: fc.constant([]),
      claims: fc.option(fc.constant({ names: ["a.txt"], until: 9 })),
      next: fc.option(further),
      reconcileAt: time,
    }),
    {
      weight: 8,
      arbitrary: of<Of<"files_checked">>("files_checked", {
        missing: fc.constantFrom([], ["a.txt"]),
        next: fc.option(further),
        reconcileAt: time,
      }),
    },
    {
      weight: 16,
      arbitrary: of<Of<"submit_follow_up">>("submit_follow_up", {
        attempt: fc
          .tuple(attempt, followUpKind)
          .map(([given, kind]) => ({ ...given, kind, spends: "follow_ups" as const })),
        runId: fc.constant("run"),
        reconcileAt: time,
      }),
    },
    { weight: 4, arbitrary: of<Of<"unanswered">>("unanswered", { reason, observed, reconcileAt: time }) },
    of<Of<"failed_retryable">>("failed_retryable", { reason, observed, reconcileAt: time }),
    of<Of<"failed_terminal">>("failed_terminal", {
      reason,
      observed: fc.option(observed),
      reconcileAt: fc.option(time),
    }),
    {
      weight: 8,
      arbitrary: of<Of<"retry_scheduled">>("retry_scheduled", {
        next: fc.record({ kind: fc.constant("retry" as const), spends, freshSession: fc.boolean() }),
        reconcileAt: time,
      }),
    },
    of<Of<"rescheduled">>("rescheduled", { reconcileAt: time, filesUntil: fc.option(time) }),
    of<Of<"turn_ended">>("turn_ended", { observed: fc.option(observed) }),
    of<Of<"read_committed">>("read_committed", { diagnostics: fc.constant([]) }),
    of<Of<"read_commit_failed">>("read_commit_failed", { error: reason, reconcileAt: time }),
    of<Of<"cancelled">>("cancelled", {
      by: fc.constant("ada"),
      reason,
      readCommitted: fc.boolean(),
      reconcileAt: time,
    }),
    of<Of<"withdrawn">>("withdrawn", {
      by: fc.constant("ada"),
      reason: fc.constantFrom("withdrawn" as const, "expired" as const),
      readCommitted: fc.boolean(),
      reconcileAt: time,
    }),
    of<Of<"released">>("released", { by: fc.constant("ada") }),
    of<Of<"retried_by_person">>("retried_by_person", {
      by: fc.constant("ada"),
      budget: fc.integer({ min: 0, max: 3 }),
    }),
  );
}
