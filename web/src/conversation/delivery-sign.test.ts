import { describe, expect, test } from "vitest";
import type { Delivery } from "waybill/client";
import { handOverSign, isAwaited, noticeOf, signOf } from "./delivery-sign.ts";

const delivery = (fields: Partial<Delivery>): Delivery =>
  ({
    ...{ id: "d1", messageId: "m1", status: "accepted", responseState: "not_observed", responsePending: true },
    ...{
      acceptanceUnknown: false,
      heldReason: null,
      proof: null,
      attempts: 1,
      nextReconcileAt: null,
      why: "It is late.",
    },
    ...fields,
  }) as Delivery;

const sign = (fields: Partial<Delivery>, isAcknowledged = false) =>
  signOf({ delivery: delivery(fields), isAcknowledged }).kind;
const notice = (fields: Partial<Delivery>, isAcknowledged = false) =>
  noticeOf({ delivery: delivery(fields), isAcknowledged });

test("every step of a delivery has its own sign", () => {
  expect(sign({ status: "pending" })).toBe("saved");
  expect(sign({ status: "pending", queuedBehindMessageId: "m0" })).toBe("queued");
  expect(sign({ status: "pending", heldReason: "loop_guard" })).toBe("held");
  expect(sign({ status: "submitting" })).toBe("sending");
  // Every submission is unconfirmed at first.
  expect(sign({ status: "submitting", acceptanceUnknown: true })).toBe("sending");
  expect(sign({ status: "failed_retryable", acceptanceUnknown: true })).toBe("checking");
  expect(sign({ status: "failed_retryable", acceptedAt: null })).toBe("saved");
  expect(sign({ status: "failed_retryable", acceptedAt: "2026-01-01T00:00:00Z" })).toBe("checking");
  expect(sign({ status: "accepted" })).toBe("accepted");
  expect(sign({ status: "accepted", responseState: "permission_blocked" })).toBe("asks");
  expect(sign({ status: "accepted" }, true)).toBe("acknowledged");
  expect(sign({ status: "unanswered" })).toBe("checking");
  expect(sign({ status: "retry_scheduled" })).toBe("asked_again");
  expect(sign({ status: "responded", proof: "plain_text", responsePending: false })).toBe("answered");
  expect(sign({ status: "responded", proof: "tool", responsePending: false })).toBe("done");
  expect(sign({ status: "failed_terminal" })).toBe("failed");
  expect(sign({ status: "cancelled", reason: "withdrawn" })).toBe("cancelled");
});

describe("each case has its own notice", () => {
  test("a failed runtime: the message is saved", () => {
    const { text } = notice({ status: "failed_retryable", acceptedAt: null }) ?? {};
    expect(text).toMatch(/Could not be sent to the agent\. It is late\. The message is saved/);
  });
  test("still checking: nothing is sent before that", () => {
    const unconfirmed = { acceptanceUnknown: true, acceptedAt: null };
    const { text } = notice({ status: "failed_retryable", ...unconfirmed }) ?? {};
    expect(text).toMatch(/Still checking.*before anything is sent again/);
    // Sent a moment ago, ended by a person while it was sent, or answered and asked for a summary.
    for (const status of ["submitting", "cancelled", "responded"] as const)
      expect(notice({ status, ...unconfirmed })).toBeNull();
  });
  test("a failed attempt is neither unsent nor unconfirmed", () => {
    const failed = { status: "failed_retryable", acceptedAt: "2026-01-01T00:00:00Z" } as const;
    expect(notice(failed)?.text).toMatch(/^This attempt failed\. It is late\. The message is saved/);
  });
  test("a message that a person retried waits, whatever it failed with before", () => {
    expect(notice({ status: "pending", reason: "empty_assistant_turn" })).toBeNull();
  });
  test("nobody says that the agent is asked again before that is decided", () => {
    const given = notice({ status: "unanswered", reason: "empty_assistant_turn" });
    expect(given?.text).toMatch(/Waybill checks once more before the agent is asked again$/);
  });
  test("accepted and waiting is neither a failure nor an answer", () => {
    expect(notice({ status: "accepted" })).toBeNull();
    expect(signOf({ delivery: delivery({}), isAcknowledged: false })).toMatchObject({
      tone: "busy",
      words: "Accepted, not answered yet",
    });
  });
  test("queued behind an earlier message", () => {
    expect(notice({ status: "pending", queuedBehindMessageId: "m0" })?.text).toMatch(
      /sent when an earlier message has ended/,
    );
  });
  test("gave up after retries: still unread, not retried automatically, with retry and cancel", () => {
    const given = notice({ status: "failed_terminal", attempts: 3, reason: "empty_assistant_turn" });
    expect(given?.text).toMatch(/did not respond after 3 attempts.*still unread and will not be retried automatically/);
    expect(given).toMatchObject({ tone: "bad", canRetry: true, canCancel: true });
  });
  test("asked again, with the time until then", () => {
    const given = notice({
      status: "retry_scheduled",
      reason: "empty_assistant_turn",
      nextReconcileAt: "2026-01-01T00:00:00Z",
    });
    expect(given?.text).toMatch(/^It is late\. The agent will be asked again$/);
    expect(given?.until).toBe("2026-01-01T00:00:00Z");
  });
});

test("a held message offers a retry only if it may have been sent before", () => {
  const held = (heldReason: string) => notice({ status: "pending", heldReason });
  expect(held("may_have_been_sent_before")).toMatchObject({ canRetry: true, canCancel: true });
  expect(held("loop_guard")).toMatchObject({ canRetry: false, canCancel: true });
});

test("an answer is expected until there is a real one or a final failure", () => {
  expect(isAwaited(delivery({}))).toBe(true);
  expect(isAwaited(delivery({ status: "retry_scheduled" }))).toBe(true);
  expect(isAwaited(delivery({ status: "responded", responsePending: false }))).toBe(false);
  expect(isAwaited(delivery({ status: "failed_terminal", responsePending: false }))).toBe(false);
  expect(isAwaited(delivery({ status: "cancelled", responsePending: false }))).toBe(false);
});

test("a row that disappeared from an inbox file is a warning", () => {
  const handOver = { state: "gone", reason: null, changedAt: "2026-01-01T00:00:00Z" } as const;
  expect(handOverSign({ handOver })).toMatchObject({ kind: "lost", tone: "bad" });
  expect(handOverSign({ handOver: null })).toBeNull();
});
