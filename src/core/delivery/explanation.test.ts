import { expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { OutlookInput } from "./outlook.ts";
import { explanation, outlook } from "./outlook.ts";
import type { DeliveryRecord } from "./record.ts";
import { statuses } from "./record.ts";

const lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: null, generation: 0, version: 1 };

function explained(change: Partial<DeliveryRecord>, more: Partial<OutlookInput> = {}): string {
  const record = { ...aRecord(), ...change };
  return explanation(record, outlook({ record, lane, queuedBehind: null, waitReason: null, ...more }));
}

const over = { readCommittedAt: 5, turnEndedAt: 5 };

test.each<[string, Partial<DeliveryRecord>, Partial<OutlookInput>, string]>([
  ["is about to be sent", {}, {}, "It is sent now."],
  [
    "waits behind another",
    {},
    { queuedBehind: { messageId: "m0", needs: null } },
    "It has not been sent yet: it is waiting for message m0 to end.",
  ],
  [
    "waits behind one that waits for a person",
    {},
    { queuedBehind: { messageId: "m0", needs: "a permission" } },
    "It has not been sent yet: it is waiting for message m0 to end, whose agent is waiting for a permission.",
  ],
  [
    "waits in a paused lane",
    {},
    { lane: { ...lane, pausedReason: "lunch" } },
    "It has not been sent yet: its lane is paused (lunch).",
  ],
  [
    "waits for a permission",
    { status: "accepted", responseState: "permission_blocked", lastReason: "permission_pending" },
    {},
    "The agent is waiting for a permission.",
  ],
  [
    "waits for a slow tool",
    { status: "accepted", responseState: "pending", lastReason: "tool_runs_long" },
    {},
    "A tool has been running for a long time. The agent is working; Waybill checks again.",
  ],
  [
    "was asked again",
    {
      ...{ status: "accepted", responseState: "pending", lastReason: "no_response" },
      attemptList: having(aRecord(), submitEvent(1, 2)).attemptList.map((attempt) => ({
        ...attempt,
        because: "no_response",
      })),
    },
    {},
    "The agent was asked again: the agent said nothing. The agent is working; Waybill checks again.",
  ],
  [
    "will be asked again",
    { status: "retry_scheduled", lastReason: "no_response" },
    {},
    "The agent said nothing. The agent is asked again, after one more check of its transcript.",
  ],
  [
    "failed for good",
    { status: "failed_terminal", lastReason: "provider_billing", nextReconcileAt: null },
    {},
    "The model's provider requires payment first. It failed for good and is not retried automatically. A person may retry it.",
  ],
  [
    "failed with an unknown code",
    { status: "failed_terminal", lastReason: "some_code", nextReconcileAt: null },
    {},
    "The reason is some_code. It failed for good and is not retried automatically. A person may retry it.",
  ],
  [
    "is answered",
    { status: "responded", ...over, proof: { by: "plain_text", visibleReply: null } },
    {},
    "The turn ended with an answer in plain text.",
  ],
  [
    "is answered with a question",
    { status: "responded", ...over, proof: { by: "destination_reply", visibleReply: null, outcome: "question" } },
    {},
    "The agent's reply arrived, and names the message. It has ended: the agent asks a question, and it is the sender's turn.",
  ],
  ["was stopped", { status: "cancelled", ...over, lastReason: "stopped_by_person" }, {}, "A person stopped it."],
])("the explanation of a delivery that %s", (_, change, more, words) => {
  expect(explained(change, more)).toBe(words);
});

test("every delivery is explained, with and without a reason", () => {
  for (const status of statuses)
    for (const lastReason of [null, "no_response"]) {
      const words = explained({ status, lastReason });
      expect(words).toMatch(/^[A-Z][^\n]*\.$/);
    }
});
