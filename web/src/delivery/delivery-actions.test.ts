import { expect, it } from "vitest";
import { actionsFor } from "./delivery-actions.ts";

type Input = Parameters<typeof actionsFor>[0];

const actions = (status: Input["status"], more: Partial<Input> = {}) =>
  actionsFor({ status, heldReason: null, acceptanceUnknown: false, attemptList: [], ...more });

it("an unsent message can be withdrawn, one that may have been sent only cancelled", () => {
  expect(actions("pending")).toEqual(["withdraw"]);
  expect(actions("pending", { attemptList: [{}] })).toEqual(["cancel"]);
  expect(actions("pending", { acceptanceUnknown: true })).toEqual(["cancel"]);
});

it("a held message can be continued in the way that fits its reason", () => {
  expect(actions("pending", { heldReason: "may_have_been_sent_before", acceptanceUnknown: true })).toEqual([
    "retry",
    "cancel",
  ]);
  expect(actions("pending", { heldReason: "loop_guard" })).toEqual(["release", "withdraw"]);
});

it("a delivery that failed for good can be retried or cancelled", () => {
  expect(actions("failed_terminal", { attemptList: [{}] })).toEqual(["retry", "cancel"]);
});

it("a running delivery can be cancelled, an ended one cannot", () => {
  for (const status of ["submitting", "accepted", "unanswered", "retry_scheduled", "failed_retryable"] as const) {
    expect(actions(status)).toEqual(["cancel"]);
  }
  expect(actions("responded")).toEqual([]);
  expect(actions("cancelled")).toEqual([]);
});
