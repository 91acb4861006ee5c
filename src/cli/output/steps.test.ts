import { expect, test } from "vitest";
import { eventTypes } from "../../core/delivery/transition.ts";
import { stepWords, waitingFor } from "./steps.ts";

const step = { event: "submit", reason: null, attempt: 1, waitMs: null, responseState: null };

test.each([
  [{}, "sent"],
  [{ attempt: 2 }, "asked again (attempt 2)"],
  [{ event: "accepted" }, "accepted, which proves nothing yet"],
  [{ event: "unanswered", reason: "empty_assistant_turn" }, "the turn ended without an answer (empty_assistant_turn)"],
  [{ event: "retry_scheduled", waitMs: 30_000 }, "will be asked again in 30 s"],
  [{ event: "looked", responseState: "permission_blocked" }, "the agent waits for a permission: see `waybill asks`"],
  [{ event: "looked", responseState: "pending" }, null],
  [{ event: "not_sent", reason: "\u001b[2Jbusy" }, "could not be sent (busy)"],
])("%j is told as %j", (change, words) => {
  expect(stepWords({ ...step, ...change })).toBe(words);
});

test("every event that has words is one of the ledger's", () => {
  const told = ["submit", "send_again", "accepted", "acceptance_unknown", "not_sent", "unanswered"];
  const more = ["failed_retryable", "retry_scheduled", "retried_by_person"];
  for (const event of [...told, ...more]) {
    expect(eventTypes).toContain(event);
    expect(stepWords({ ...step, event })).not.toBeNull();
  }
});

test("what one waits for follows the last step", () => {
  expect(waitingFor({ ...step, event: "accepted" })).toBe("for the agent");
  expect(waitingFor({ ...step, event: "retry_scheduled" })).toBe("until it is asked again");
  expect(waitingFor({ ...step, event: "looked", responseState: "question_blocked" })).toMatch(/^for a person/);
});
