import { expect, test } from "vitest";
import type { DeliveryDetail } from "../../client/index.ts";
import { explainDelivery } from "./why.ts";

const delivery = {
  ...{ id: "3fa9c2", messageId: "m1", lane: "chat", status: "accepted", attempts: 1, maxAttempts: 2 },
  ...{ responseState: "permission_blocked", acceptanceUnknown: false, evidence: { proof: null } },
  ...{ updatedAt: new Date(0).toISOString(), explanation: "The agent is waiting for a permission." },
} as unknown as DeliveryDetail;

test.each([
  ["waits_for_person", "The agent is waiting for a permission.", /next +Waybill checks again in 5 s\./],
  ["asks_again", "The agent is asked again.", /next +The agent is asked again\. This is due in 5 s\./],
] as const)("what happens next is said together with when: %s", (step, words, line) => {
  const next = { step, words, at: new Date(5000).toISOString() };
  expect(explainDelivery({ ...delivery, next }, (_, text) => text, 0).join("\n")).toMatch(line);
});
