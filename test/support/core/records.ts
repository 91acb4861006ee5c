/** Records and messages for tests. */

import type { DeliveryEvent, NewAttempt } from "../../../src/core/delivery/delivery-event.ts";
import type { Policy } from "../../../src/core/delivery/policy.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import { newDelivery } from "../../../src/core/delivery/record.ts";
import { transition } from "../../../src/core/delivery/transition.ts";
import type { Lane } from "../../../src/core/lane/lane.ts";
import type { Message } from "../../../src/core/message/message.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import type { SendResult } from "../../../src/service/service.ts";
import { aLane } from "../daemon/waybill.ts";

export function aMessage(message: Partial<Message> = {}): Message {
  return {
    id: "m1",
    recipient: { kind: "lane", lane: "lane" },
    from: "user",
    fromLane: null,
    laneId: message.recipient && message.recipient.kind !== "lane" ? null : (message.recipient?.lane ?? "lane"),
    text: "What is the answer?",
    summary: null,
    actionMode: null,
    taskRefs: [],
    relayOfMessageId: null,
    attachments: [],
    replyRecipient: "user",
    conversation: null,
    source: "cli",
    expiresAt: null,
    createdAt: 1000,
    ...message,
  };
}

const lane: Lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: "ses-1", generation: 1, version: 1 };

export function aRecord(message: Partial<Message> = {}, policy: Partial<Policy> = {}): DeliveryRecord {
  const made = aMessage(message);
  return newDelivery(made, payloadHash(made), lane, { ...defaultPolicy, ...policy }, made.createdAt);
}

export function anAttempt(number: number, attempt: Partial<NewAttempt> = {}): NewAttempt {
  return {
    messageId: `msg-${number}`,
    partId: `prt-${number}`,
    number,
    kind: number === 1 ? "prompt" : "retry",
    spends: "attempts",
    because: null,
    choice: null,
    sessionId: "ses-1",
    generation: 1,
    prePromptCursor: null,
    ...attempt,
  };
}

export function submitEvent(number: number, at: number, attempt: Partial<NewAttempt> = {}): DeliveryEvent {
  return {
    type: "submit",
    at,
    attempt: anAttempt(number, attempt),
    runtimeKind: "stub",
    runId: "run",
    reconcileAt: at + 5000,
  };
}

/** The record after all these events; fails if one is refused. */
export function having(record: DeliveryRecord, ...events: DeliveryEvent[]): DeliveryRecord {
  return events.reduce((current, event) => {
    const moved = transition(current, event);
    if ("refused" in moved) throw new Error(`${event.type} was refused: ${moved.reason}`);
    return moved.record;
  }, record);
}

/** Of a message to a lane. */
export function deliveryOf({ delivery }: SendResult): DeliveryRecord {
  if (!delivery) throw new Error("this message has no delivery");
  return delivery.record;
}
