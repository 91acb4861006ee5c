import type { z } from "@hono/zod-openapi";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEvent } from "../../../test/support/core/arbitrary-events.ts";
import { accepted, failedForGood, proven } from "../../../test/support/core/deliveries.ts";
import { aMessage, anAttempt, aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { outlook } from "../../core/delivery/outlook.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { transition } from "../../core/delivery/transition.ts";
import type { LaneState, ShownAsk } from "../../service/service.ts";
import { askSchema, ledgerItemSchema, resetSchema } from "./event-schemas.ts";
import { deliveryDetailSchema, laneSchema, messageSchema } from "./schemas.ts";
import {
  askView,
  deliveryDetailView,
  deliveryView,
  laneView,
  messageView,
  resetFrame,
  sentView,
  streamEventView,
} from "./views.ts";

/** Parsing drops fields that the schema does not name, so a view that comes back unchanged has no extra fields. */
function expectExactly(shape: z.ZodType, view: unknown): void {
  expect(shape.parse(view)).toStrictEqual(view);
}

const mail = {
  ...aMessage({ summary: "in short", taskRefs: [{ id: "t1", title: "one" }], expiresAt: 5000 }),
  readAt: 7,
};
const state = (record: DeliveryRecord) => ({ record, queuedBehind: null });

function laneState(holder: DeliveryRecord | null): LaneState {
  const lane = { id: "docs", displayName: null, team: null, member: null, runtime: "stub", directory: "/tmp" };
  const rest = {
    agent: null,
    model: null,
    contract: "tool" as const,
    pausedReason: null,
    teamHold: null,
    sessionId: null,
  };
  const whole = { ...lane, ...rest, generation: 0, createdAt: 0, version: 1 };
  const state = { lane: whole, runtimeReady: true, waiting: 2, waitReason: null };
  const notices = [{ code: "events_unusable", message: "No events come." }];
  const usage = { tokens: holder ? 12 : 0, cost: 0, lifted: false };
  return { ...state, notices, holder, usage };
}

function detailOf(record: DeliveryRecord, history: readonly DeliveryEvent[]) {
  const next = outlook({ record, lane: null, queuedBehind: null, waitReason: null });
  return deliveryDetailView({ ...state(record), message: mail, replies: [mail], history, outlook: next });
}

describe("views", () => {
  it("any delivery, whatever happened to it, matches its schema exactly", () => {
    fc.assert(
      fc.property(fc.array(anyEvent("m1"), { maxLength: 12 }), (events) => {
        const happened: DeliveryEvent[] = [];
        const record = events.reduce((current, event) => {
          const moved = transition(current, event);
          if ("refused" in moved) return current;
          happened.push(event);
          return moved.record;
        }, aRecord());
        expectExactly(deliveryDetailSchema, detailOf(record, happened));
      }),
      { numRuns: 100 },
    );
  });

  it("messages to lanes and to people match their schema", () => {
    expectExactly(messageSchema, messageView(mail));
    const toPerson = messageView({ ...mail, recipient: { kind: "person", name: "ada" }, laneId: null });
    expectExactly(messageSchema, toPerson);
    expect(toPerson.to).toEqual({ person: "ada" });
    expect(toPerson).toMatchObject({ createdAt: "1970-01-01T00:00:01.000Z", readAt: "1970-01-01T00:00:00.007Z" });
  });

  it("a lane matches its schema, held or not", () => {
    for (const holder of [null, aRecord()]) expectExactly(laneSchema, laneView(laneState(holder)));
  });

  it("a reset matches its schema, and carries the lanes", () => {
    const lines = resetFrame({ type: "reset", cursor: "5", at: 1 }, 7, [laneState(aRecord())]).split("\n");
    expect(lines.slice(0, 2)).toEqual(["id: 5", "event: reset"]);
    const reset = JSON.parse(lines[2]?.replace("data: ", "") ?? "");
    expectExactly(resetSchema, reset);
    expect(reset).toMatchObject({
      at: "1970-01-01T00:00:00.007Z",
      lanes: [{ id: "docs", holder: { messageId: "m1" } }],
    });
  });

  const anAsk: ShownAsk = {
    ...{ id: "a1", kind: "permission", title: "May I?", since: 0, laneId: "docs", directory: "/tmp" },
    ...{ deliveryId: "d1", messageId: "m1", person: "user", call: "c1", nativeSession: null },
    ...{ tool: "edit", input: { path: "a.ts" }, detail: { path: "a.ts" }, diff: "-a\n+b", questions: [] },
  };

  it("an ask matches its schema, even when no details are known", () => {
    expectExactly(askSchema, askView(anAsk));
    const nothing = { call: null, tool: null, input: null, detail: null, diff: null, directory: null };
    expectExactly(askSchema, askView({ ...anAsk, ...nothing }));
    const questions = [
      { header: null, question: "Which?", options: [{ label: "A", description: null }], multiple: true },
    ];
    expectExactly(askSchema, askView({ ...anAsk, kind: "question", questions, nativeSession: "ses_2" }));
  });

  it("very long content of an ask is truncated and marked as such", () => {
    const long = "x".repeat(10_000_000);
    const shown = askView({ ...anAsk, input: { content: long }, detail: { a: { b: [long, long] } }, diff: long });
    expect(JSON.stringify(shown).length).toBeLessThan(250_000);
    expect(shown.diff).toMatch(/x \[cut: \d+ characters more\]$/);
    expect(shown.input).toMatchObject({ content: expect.stringMatching(/^xxx.*\[cut: \d+ characters more\]$/) });
  });

  it("every log item matches the stream's schema", () => {
    const at = { cursor: "c1", at: 5, laneId: "lane" };
    const about = { deliveryId: null, messageId: null, askId: null, person: "user" };
    const alert = { id: "x", kind: "late" as const, laneId: "lane", ...about, reason: "why", since: 1, raisedAt: 2 };
    const items: Parameters<typeof streamEventView>[0][] = [
      { ...at, type: "message", message: mail },
      { ...at, type: "delivery", event: accepted(1, 5), record: aRecord() },
      { ...at, type: "lane", lane: null },
      { ...at, type: "alert", alert },
      { ...at, type: "ask", ask: "a1", open: true },
      { ...at, type: "read", reader: { kind: "person", name: "ann" } },
    ];
    for (const item of items) expectExactly(ledgerItemSchema, streamEventView(item));
    expect(streamEventView({ ...at, type: "lane", lane: null })).toMatchObject({ id: "lane", removed: true });
  });
});

describe("the reason in words", () => {
  it("is that of the hold while a delivery is held, else that of its last step", () => {
    const held = { ...aRecord(), heldReason: "loop_guard", lastReason: "tool_error" };
    expect(deliveryView(state(held)).why).toBe("The two agents only write to each other.");
    expect(deliveryView(state({ ...held, status: "cancelled" })).why).toMatch(/^A tool failed/);
    expect(deliveryView(state(aRecord())).why).toBeNull();
  });
});

describe("an outcome", () => {
  const sentOnce = having(aRecord(), submitEvent(1, 2000), accepted(1, 3000));

  it("is pending while the delivery is open", () => {
    expect(sentView(state(aRecord())).responsePending).toBe(true);
    expect(sentView(state(sentOnce)).responsePending).toBe(true);
  });

  it("is known once the delivery was answered, failed or was cancelled", () => {
    const answered = having(sentOnce, proven({ at: 4000 }));
    const failed = having(sentOnce, failedForGood(4000));
    expect([answered, failed].map((record) => sentView(state(record)).responsePending)).toEqual([false, false]);
    expect(sentView(state(failed)).reason).toBe("no_answer");
  });

  it("is pending while the agent is asked for a summary of what it did", () => {
    const next = { kind: "summary", spends: "follow_ups", freshSession: false } as const;
    const silent = having(sentOnce, proven({ at: 4000, turnEnded: false, next }));
    const attempt = { ...anAttempt(2), kind: "summary", spends: "follow_ups" } as const;
    const asked = having(silent, { type: "submit_follow_up", at: 4100, attempt, runId: "run", reconcileAt: 9000 });
    const said = having(asked, { type: "turn_ended", at: 4200 });
    const pending = [silent, asked, said].map((record) => sentView(state(record)).responsePending);
    expect(pending).toEqual([true, true, false]);
  });

  it("shows the reply that proves it", () => {
    const visibleReply = { messageId: "r1", mailbox: "user", correlation: "relayOfMessageId" as const };
    const answered = having(sentOnce, proven({ at: 4000, proof: { by: "visible_reply", visibleReply } }));
    expect(deliveryView(state(answered))).toMatchObject({ visibleReply, attempts: 1, status: "responded" });
  });
});

describe("the audit", () => {
  it("names who did something and why, and shows what was observed", () => {
    const observed = {
      ...{
        state: "pending" as const,
        deliveredUserMessageId: "msg-1",
        assistantMessageId: "row-1",
        toolNames: ["bash"],
      },
      ...{ newestRowId: "row-1", lastActivityAt: 5, diagnostics: ["odd"], timings: [] },
    };
    const { audit, explanation } = detailOf(aRecord(), [
      { type: "admitted", at: 0, record: aRecord() },
      submitEvent(1, 1),
      { type: "reconciled", at: 2, observed, reason: null, found: true, missed: false, reconcileAt: 9 },
      { type: "read_commit_failed", at: 3, error: "read-only", reconcileAt: 9 },
      { type: "cancelled", at: 4, by: "ada", reason: "stopped_by_person", readCommitted: true, reconcileAt: 9 },
    ]);
    expect(audit[2]).toEqual({
      ...{ at: "1970-01-01T00:00:00.002Z", event: "reconciled", reason: null, by: null, attempt: 1 },
      observed: {
        ...{ state: "pending", deliveredUserMessageId: "msg-1", assistantMessageId: "row-1", toolNames: ["bash"] },
        ...{ diagnostics: ["odd"], lastActivityAt: "1970-01-01T00:00:00.005Z" },
      },
      next: "1970-01-01T00:00:00.009Z",
      why: "The agent is working on it.",
    });
    expect(audit[3]).toMatchObject({ reason: "read-only", by: null, observed: null });
    expect(audit[4]).toMatchObject({ reason: "stopped_by_person", by: "ada", why: expect.stringContaining("stopped") });
    expect(explanation).toBe("It has not been sent yet: its lane has been removed.");
  });
});
