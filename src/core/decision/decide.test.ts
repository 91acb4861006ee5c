import { describe, expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import { defaultPolicy } from "../delivery/policy.ts";
import type { DeliveryRecord, ResponseState } from "../delivery/record.ts";
import { transition } from "../delivery/transition.ts";
import type { Evidence, Observation } from "../proof/observation.ts";
import { noEvidence, unobserved, unreadable } from "../proof/observation.ts";
import { decide } from "./decide.ts";
import type { Decision, DecisionInput } from "./decision.ts";

const sentAt = 1_000_000;
const accepted = (record: DeliveryRecord = aRecord()) =>
  having(record, submitEvent(1, sentAt), { type: "accepted", at: sentAt, number: 1, reconcileAt: sentAt + 20_000 });
const graceOver = sentAt + 21_000;

const seen = (state: ResponseState, observation: Partial<Observation> = {}): Observation => ({
  ...unobserved,
  state,
  settled: true,
  found: true,
  ...observation,
});
const evidence = (given: Partial<Evidence>): Partial<Observation> => ({ evidence: { ...noEvidence, ...given } });
const reply = (text: string, relay: "this" | "none" = "this") => ({
  text,
  summary: null,
  outcome: null,
  relay,
  toReplyRecipient: true,
});

function look(observation: Observation, given: Partial<DecisionInput> = {}): DecisionInput {
  return {
    record: accepted(),
    observation,
    reply: null,
    contract: "tool",
    traits: { takesIds: true, sendingAgain: "reruns", attachments: [], takesSystem: false },
    policy: defaultPolicy,
    readCommitsWithLedger: true,
    paused: false,
    now: graceOver,
    ...given,
  };
}

const types = (decision: Decision) =>
  decision.do === "commit" ? decision.events.map((event) => event.type) : decision.do;
const isRetry = (decision: Decision) => types(decision).includes("retry_scheduled");
const isRead = (decision: Decision) => types(decision).includes("proven");
const reasonOf = (decision: Decision) =>
  decision.do === "commit"
    ? decision.events.map((event) => ("reason" in event ? event.reason : null)).find(Boolean)
    : null;

/** Every decision must also be accepted by the transition table. */
function isTaken(decision: Decision, record: DeliveryRecord): boolean {
  if (decision.do !== "commit") return true;
  let current = record;
  return decision.events.every((event: DeliveryEvent) => {
    const moved = transition(current, event);
    if ("refused" in moved) return false;
    current = moved.record;
    return true;
  });
}

describe("retry eligibility, row by row, after the grace time", () => {
  const ask = accepted(aRecord({ actionMode: "ask" }));
  const work = accepted(aRecord({ actionMode: "do" }));
  const bash = evidence({ executions: ["bash"] });
  const rows: [string, { retry: boolean; read: boolean }, DecisionInput][] = [
    [
      "responded_tool_call that cannot be classified: retry, no read",
      { retry: true, read: false },
      look(seen("responded_tool_call", evidence({ others: ["mystery"] })), { record: work }),
    ],
    [
      "responded_visible_message with substance: no retry, read",
      { retry: false, read: true },
      look(seen("responded_visible_message", evidence({ sent: [reply("Port 8080.")] })), { record: ask }),
    ],
    [
      "responded_visible_message that only acknowledges: retry, no read",
      { retry: true, read: false },
      look(seen("responded_visible_message", evidence({ sent: [reply("Got it")] })), { record: ask }),
    ],
    [
      "responded_non_visible_tool for a do: no retry, read",
      { retry: false, read: true },
      look(seen("responded_non_visible_tool", bash), { record: work }),
    ],
    [
      "responded_non_visible_tool for an ask: retry, no read",
      { retry: true, read: false },
      look(seen("responded_non_visible_tool", bash), { record: ask }),
    ],
    [
      "responded_plain_text: no retry, read",
      { retry: false, read: true },
      look(seen("responded_plain_text", evidence({ finalText: "Port 8080." })), { record: ask }),
    ],
    [
      "permission_blocked: neither",
      { retry: false, read: false },
      look(seen("permission_blocked", { settled: false })),
    ],
    ["question_blocked: neither", { retry: false, read: false }, look(seen("question_blocked", { settled: false }))],
    [
      "prompt_not_indexed: neither",
      { retry: false, read: false },
      look(seen("prompt_not_indexed", { settled: false, found: false })),
    ],
    ["pending: neither", { retry: false, read: false }, look(seen("pending", { settled: false }))],
    ["empty_assistant_turn: retry, no read", { retry: true, read: false }, look(seen("empty_assistant_turn"))],
    ["interrupted: retry, no read", { retry: true, read: false }, look(seen("interrupted", { interrupted: true }))],
    ["tool_error: retry, no read", { retry: true, read: false }, look(seen("tool_error"))],
    ["session_error: retry, no read", { retry: true, read: false }, look(seen("session_error"))],
    ["reconcile_failed is unknown: neither", { retry: false, read: false }, look(unreadable("timeout"))],
    [
      "not_observed once: neither, the transcript is read again first",
      { retry: false, read: false },
      look(seen("not_observed", { found: false })),
    ],
  ];

  test.each(rows)("%s", (_, expected, given) => {
    const decision = decide(given);
    expect({ retry: isRetry(decision), read: isRead(decision) }).toEqual(expected);
    expect(isTaken(decision, given.record)).toBe(true);
  });

  test("session_stale: retry in a fresh session, from the repair budget", () => {
    const decision = decide(look(seen("session_stale", { found: true })));
    expect(decision).toMatchObject({
      events: [
        { type: "failed_retryable" },
        { type: "retry_scheduled", next: { spends: "repairs", freshSession: true } },
      ],
    });
  });

  test.each<[string, Observation, boolean]>([
    ["a stale session", seen("session_stale"), true],
    ["a turn that died with a runtime that swallows known ids", seen("interrupted", { interrupted: true }), false],
  ])("%s with no repair left is paid from attempts, after the retry delay", (_, observation, freshSession) => {
    const traits = { takesIds: true, sendingAgain: "swallowed", attachments: [], takesSystem: false } as const;
    const record = accepted(aRecord({}, { maxRepairs: 0 }));
    const reconcileAt = graceOver + 30_000;
    expect(decide(look(observation, { record, traits }))).toMatchObject({
      events: [
        { type: "failed_retryable" },
        { type: "retry_scheduled", next: { spends: "attempts", freshSession }, reconcileAt },
      ],
    });
    const spent = accepted(aRecord({}, { maxRepairs: 0, maxAttempts: 1 }));
    expect(types(decide(look(observation, { record: spent, traits })))).toEqual(["failed_terminal"]);
  });

  test.each(rows.filter(([, expected]) => expected.retry))("before the grace time is over: %s", (_, __, given) => {
    const decision = decide({ ...given, now: sentAt + 1000 });
    expect(types(decision)).toEqual(["reconciled"]);
    expect(decision).toMatchObject({ events: [{ reconcileAt: sentAt + 20_000 }] });
  });

  test("a message with task refs has a longer grace time", () => {
    const record = accepted(aRecord({ taskRefs: [{ id: "T1" }] }));
    expect(isRetry(decide(look(seen("empty_assistant_turn"), { record, now: sentAt + 44_000 })))).toBe(false);
    expect(isRetry(decide(look(seen("empty_assistant_turn"), { record, now: sentAt + 46_000 })))).toBe(true);
  });

  test("with the budget spent a retry becomes failed_terminal", () => {
    const record = { ...accepted(), attempts: 3 };
    expect(types(decide(look(seen("empty_assistant_turn"), { record })))).toEqual(["failed_terminal"]);
  });
});

describe("the reason selects the retry text", () => {
  test.each([
    ["ack only", evidence({ sent: [reply("Got it")] }), "visible_reply_ack_only_still_requires_answer"],
    ["a lookup only", evidence({ lookups: ["read"] }), "visible_reply_still_required"],
    ["no evidence", { reason: "empty_assistant_turn" }, "empty_assistant_turn"],
  ])("%s", (_, given, reason) => {
    expect(reasonOf(decide(look(seen("empty_assistant_turn", given))))).toBe(reason);
  });
});

describe("destination proof", () => {
  const destination = { messageId: "r1", mailbox: "user", text: "Port 8080.", summary: null };

  test.each([unreadable("down"), seen("prompt_not_indexed", { settled: false, found: false })])(
    "outranks a transcript that is late or unreadable ($state), and owes the end of the turn",
    (observation) => {
      const decision = decide(look(observation, { reply: destination }));
      expect(decision).toMatchObject({
        events: [
          {
            type: "proven",
            turnEnded: false,
            proof: { by: "destination_reply", visibleReply: { messageId: "r1", correlation: "relayOfMessageId" } },
          },
        ],
      });
    },
  );

  test("takes precedence over a message_send in the transcript", () => {
    const sent = evidence({ sent: [reply("Port 8080.")] });
    expect(decide(look(seen("responded_visible_message", sent), { reply: destination }))).toMatchObject({
      events: [{ type: "proven", proof: { by: "destination_reply", visibleReply: { messageId: "r1" } } }],
    });
  });

  test("an acknowledgement at the destination is not proof", () => {
    const decision = decide(look(seen("empty_assistant_turn"), { reply: { ...destination, text: "Understood." } }));
    expect(isRead(decision)).toBe(false);
    expect(reasonOf(decision)).toBe("visible_reply_ack_only_still_requires_answer");
  });

  test("a message_send seen only in the transcript counts, with a diagnostic", () => {
    const decision = decide(look(seen("responded_visible_message", evidence({ sent: [reply("Port 8080.")] }))));
    expect(decision).toMatchObject({ events: [{ diagnostics: ["visible_reply_destination_not_found_yet"] }] });
  });

  test("a message_send that has not arrived gets one more reconcile before a retry", () => {
    const unarrived = seen("empty_assistant_turn", { awaitsSend: true });
    const first = decide(look(unarrived));
    expect(first).toMatchObject({ events: [{ type: "reconciled", missed: true }] });
    if (first.do !== "commit") throw new Error("nothing was committed");
    const record = having(accepted(), ...first.events);
    const again = { record, now: record.nextReconcileAt ?? 0 };
    expect(isRetry(decide(look(unarrived, again)))).toBe(true);
    expect(isRead(decide(look(unarrived, { ...again, reply: destination })))).toBe(true);
  });

  test("a message_send in the turn that names no message correlates as its direct child", () => {
    const sent = evidence({ sent: [reply("Port 8080.", "none")] });
    expect(decide(look(seen("responded_visible_message", sent)))).toMatchObject({
      events: [{ proof: { visibleReply: { correlation: "direct_child_message_send" } } }],
    });
  });
});

describe("sending again or retrying", () => {
  const missing = seen("not_observed", { found: false });
  const missedOnce = having(accepted(), {
    type: "reconciled",
    at: graceOver,
    observed: {
      ...missing,
      deliveredUserMessageId: null,
      assistantMessageId: null,
      toolNames: [],
      newestRowId: null,
      lastActivityAt: null,
      diagnostics: [],
    },
    reason: null,
    found: false,
    missed: true,
    reconcileAt: graceOver + 2000,
  });

  const secondRead = { record: missedOnce, now: graceOver + 2000 };

  test("the second read does not come early", () => {
    expect(decide(look(missing, { record: missedOnce, now: graceOver + 1 }))).toEqual({ do: "nothing" });
  });

  test("a prompt that two reads missed is sent again with the same ids", () => {
    expect(types(decide(look(missing, { ...secondRead })))).toEqual(["reconciled", "send_again"]);
  });

  test("a prompt is never sent again after a later prompt", () => {
    const decision = decide(look({ ...missing, laterPrompt: true }, { ...secondRead }));
    expect(isRetry(decision)).toBe(true);
  });

  test("a stored prompt that did not run is never sent again if the runtime swallows known ids", () => {
    const idle = seen("prompt_delivered_no_assistant_message");
    const traits = { takesIds: true, sendingAgain: "swallowed" as const, attachments: [], takesSystem: false };
    expect(isRetry(decide(look(idle, { ...secondRead, traits })))).toBe(true);
    expect(types(decide(look(idle, { ...secondRead })))).toEqual(["reconciled", "send_again"]);
  });

  test("nothing is sent again in a paused lane", () => {
    expect(types(decide(look(missing, { ...secondRead, paused: true })))).toEqual(["reconciled"]);
  });
});

describe("a person's decision", () => {
  const stop = { type: "cancelled", by: "ada", reason: "stopped_by_person", readCommitted: true } as const;
  const stoppedAt = sentAt + 100;
  const stopped = having(accepted(), { ...stop, at: stoppedAt, reconcileAt: stoppedAt });
  const unbegun = seen("prompt_delivered_no_assistant_message", { reason: "never_run" });
  const atWork = seen("pending", { settled: false });

  test("a stopped prompt that has not begun keeps the lane until it would have begun", () => {
    const first = decide(look(unbegun, { record: stopped, now: stoppedAt }));
    expect(types(first)).toEqual(["reconciled"]);
    if (first.do !== "commit") throw new Error("nothing was committed");
    const waited = having(stopped, ...first.events);
    expect(types(decide(look(unbegun, { record: waited, now: graceOver })))).toEqual(["turn_ended"]);
  });

  test("a stopped prompt that begins later is aborted immediately, and only once", () => {
    const missed = decide(look(unbegun, { record: stopped, now: stoppedAt }));
    if (missed.do !== "commit") throw new Error("nothing was committed");
    const waited = having(stopped, ...missed.events);
    const aborted = decide(look(atWork, { record: waited, now: stoppedAt + 20 }));
    expect(aborted).toMatchObject({ do: "commit", abort: true });
    if (aborted.do !== "commit") throw new Error("nothing was committed");
    const again = look(atWork, { record: having(waited, ...aborted.events), now: stoppedAt + 40 });
    expect(decide(again)).toEqual({ do: "nothing" });
  });

  test("a stopped turn is cancelled and not retried", () => {
    expect(types(decide(look(seen("session_error", { aborted: true }))))).toEqual(["cancelled"]);
  });

  test("a refused ask fails for good", () => {
    const decision = decide(look(seen("tool_error", { askRejected: true })));
    expect(decision).toMatchObject({ events: [{ type: "failed_terminal", reason: "ask_rejected" }] });
  });

  test("a refused ask does not undo an earlier answer", () => {
    const answered = evidence({ sent: [reply("Port 8080.")] });
    expect(isRead(decide(look(seen("responded_visible_message", { ...answered, askRejected: true }))))).toBe(true);
  });

  test("Waybill's own abort, to replace a stuck session, is not taken for a person's stop", () => {
    const record: DeliveryRecord = {
      ...accepted(),
      status: "retry_scheduled",
      nextAttempt: { kind: "retry", spends: "repairs", freshSession: true },
      nextReconcileAt: graceOver,
    };
    expect(decide(look(seen("session_error", { aborted: true }), { record }))).toEqual({ do: "submit" });
  });
});

describe("stuck sessions", () => {
  const quiet = { settled: false, lastActivityAt: sentAt };
  const later = sentAt + defaultPolicy.stuckAfterMs;
  const record = {
    ...accepted(),
    quietMs: defaultPolicy.stuckAfterMs - 60_000,
    activityAt: sentAt,
    lastObservedAt: later - 60_000,
  };

  test("busy without any activity for too long gets a fresh session", () => {
    const decision = decide(look(seen("pending", quiet), { record, now: later }));
    expect(decision).toMatchObject({
      events: [{ reason: "session_stuck" }, { next: { freshSession: true, spends: "repairs" } }],
    });
    expect(isTaken(decision, record)).toBe(true);
  });

  test("a machine that slept does not make a session stuck", () => {
    const asleep = { ...record, quietMs: 60_000, lastObservedAt: sentAt };
    expect(types(decide(look(seen("pending", quiet), { record: asleep, now: later })))).toEqual(["reconciled"]);
  });

  test("busy with something else and quiet for too long is also stuck", () => {
    const decision = decide(look(seen("prompt_not_indexed", { ...quiet, found: false }), { record, now: later }));
    expect(isRetry(decision)).toBe(true);
    expect(isTaken(decision, record)).toBe(true);
  });

  test.each([
    ["a running tool", { toolRunning: true }],
    ["recent activity", { lastActivityAt: later - 1000 }],
  ])("%s is not stuck", (_, given) => {
    expect(types(decide(look(seen("pending", { ...quiet, ...given }), { record, now: later })))).toEqual([
      "reconciled",
    ]);
  });

  test("a tool that runs for a long time only gets a reason", () => {
    const decision = decide(look(seen("pending", { ...quiet, toolRunning: true }), { record, now: later }));
    expect(decision).toMatchObject({ events: [{ type: "reconciled", reason: "tool_runs_long" }], abort: false });
  });

  test("a pending ask is not stuck", () => {
    const blocked = seen("permission_blocked", quiet);
    expect(types(decide(look(blocked, { record, now: later })))).toEqual(["reconciled"]);
  });
});

describe("a scheduled retry", () => {
  const scheduled: DeliveryRecord = {
    ...accepted(),
    status: "retry_scheduled",
    nextAttempt: { kind: "retry", spends: "attempts", freshSession: false },
    nextReconcileAt: graceOver + 30_000,
  };

  test("waits for its time", () => {
    expect(decide(look(seen("empty_assistant_turn"), { record: scheduled }))).toEqual({ do: "nothing" });
  });

  test("is submitted when due if the agent is still silent", () => {
    const now = graceOver + 30_000;
    expect(decide(look(seen("empty_assistant_turn"), { record: scheduled, now }))).toEqual({ do: "submit" });
  });

  test.each([seen("pending", { settled: false }), unreadable("down"), seen("permission_blocked", { settled: false })])(
    "is postponed while the agent may be working on it ($state)",
    (observation) => {
      expect(types(decide(look(observation, { record: scheduled, now: graceOver + 30_000 })))).toEqual(["reconciled"]);
    },
  );

  test("is dropped if the answer arrived in the meantime", () => {
    const answered = seen("responded_plain_text", evidence({ finalText: "Port 8080." }));
    expect(isRead(decide(look(answered, { record: scheduled, now: graceOver + 30_000 })))).toBe(true);
  });
});
