import { expect, test } from "vitest";
import { eventTypes } from "../../core/delivery/transition.ts";
import type { DeliveryStep } from "./describe-delivery.ts";
import { describeStep, describeWait } from "./describe-delivery.ts";

const delivery: DeliveryStep["delivery"] = {
  status: "pending",
  attempts: 1,
  repairs: 0,
  nextReconcileAt: null,
  responseState: "not_observed",
};
const at = new Date(0).toISOString();
const step = (event: string, change: Partial<DeliveryStep["delivery"]> = {}, reason: string | null = null) =>
  ({ event, reason, at, delivery: { ...delivery, ...change } }) as DeliveryStep;
const inHalfAMinute = new Date(30_000).toISOString();

test.each([
  [step("submit"), "sent"],
  [step("submit", { attempts: 2 }), "asked again (attempt 2)"],
  [step("accepted"), "accepted, which proves nothing yet"],
  [step("unanswered", {}, "empty_assistant_turn"), "the turn ended without an answer (empty_assistant_turn)"],
  [
    step("retry_scheduled", { status: "retry_scheduled", nextReconcileAt: inHalfAMinute }),
    "will be asked again in 30 s",
  ],
  [step("retry_scheduled", { status: "accepted", nextReconcileAt: inHalfAMinute }), "will be asked again"],
  [
    step("reconciled", { responseState: "permission_blocked" }),
    "the agent is waiting for permission: see `waybill asks`",
  ],
  [step("reconciled", { responseState: "pending" }), null],
  [step("not_sent", {}, "\u001b[2Jbusy"), "could not be sent (busy)"],
])("%j is described as %j", (given, text) => {
  expect(describeStep(given)).toBe(text);
});

test("every described event exists in the ledger", () => {
  const described = ["submit", "send_again", "accepted", "acceptance_unknown", "not_sent", "unanswered"];
  const more = ["failed_retryable", "retry_scheduled", "retried_by_person"];
  for (const event of [...described, ...more]) {
    expect(eventTypes).toContain(event);
    expect(describeStep(step(event))).not.toBeNull();
  }
});

test("the waiting text follows from the last step", () => {
  expect(describeWait(step("accepted"))).toBe("for the agent");
  expect(describeWait(step("retry_scheduled"))).toBe("until it is asked again");
  expect(describeWait(step("reconciled", { responseState: "question_blocked" }))).toMatch(/^for a person/);
});
