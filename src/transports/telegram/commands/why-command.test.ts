import { expect, test } from "vitest";
import { aMessage, aRecord } from "../../../../test/support/core/records.ts";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import type { QueuedBehind } from "../../../core/delivery/outlook.ts";
import { outlook } from "../../../core/delivery/outlook.ts";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { whyText } from "./why-command.ts";

const lane = { ...aLane(), pausedReason: null as string | null, teamHold: null };
const whole = { ...lane, sessionId: null, generation: 0, version: 1 };

const ahead: QueuedBehind = { messageId: "telegram:1:2:3", needs: null };

function why(
  change: Partial<DeliveryRecord>,
  more: { queuedBehind?: QueuedBehind; pausedReason?: string } = {},
): string {
  const record = { ...aRecord(), ...change };
  const { queuedBehind = null, pausedReason = null } = more;
  const next = outlook({ record, lane: { ...whole, pausedReason }, queuedBehind, waitReason: null });
  const message = { ...aMessage({ text: "Is it green?" }), readAt: null };
  return whyText({ record, queuedBehind, message, replies: [], history: [], outlook: next }, record.createdAt + 5000);
}

test("the reason is explained in the words of every other client", () => {
  const record = { status: "retry_scheduled", lastReason: "empty_assistant_turn", attempts: 1 } as const;
  expect(why(record)).toBe(
    "> Is it green?\n\nThe agent said nothing. The agent is asked again, after one more check of its " +
      "transcript.\n\nStatus: retry_scheduled, 5 s old.",
  );
});

test("a queued message waits for an earlier one, whose id nobody in a chat knows", () => {
  const waits = "It has not been sent yet: it is waiting for an earlier message to end";
  expect(why({}, { queuedBehind: ahead })).toContain(`${waits}.`);
  const blocked = { ...ahead, needs: "a permission" };
  expect(why({}, { queuedBehind: blocked })).toContain(`${waits}, whose agent is waiting for a permission.`);
});

test("a message in a paused lane waits for the pause to end, also behind another", () => {
  expect(why({}, { queuedBehind: ahead, pausedReason: "lunch" })).toContain("its lane is paused (lunch)");
});
