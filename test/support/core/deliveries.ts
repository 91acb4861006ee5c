/** Messages, records and events for tests that use a store without a courier. Times count from `start`. */
import type {
  DeliveryEvent,
  EventOf,
  NewAttempt,
  ObservedFacts,
  OutgoingMail,
} from "../../../src/core/delivery/delivery-event.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import { newDelivery } from "../../../src/core/delivery/record.ts";
import type { Message } from "../../../src/core/message/message.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import type { Admission, Applied, LaneChoice } from "../../../src/store/port.ts";
import type { Store } from "../../../src/store/store.ts";
import { aMessage as anyMessage } from "./records.ts";

export const start = Date.UTC(2026, 0, 1);

export function aMessage(message: Partial<Message> & { id: string }): Message {
  return anyMessage({ actionMode: "ask", createdAt: start, ...message });
}

export function toPerson(message: Partial<Message> & { id: string }, name = "user"): OutgoingMail {
  const mail = aMessage({ from: "lane", ...message, recipient: { kind: "person", name } });
  return { message: mail, payloadHash: payloadHash(mail) };
}

/** The record that admission creates for a message to a lane. */
export async function recordFor(store: Store, message: Message): Promise<DeliveryRecord> {
  if (message.recipient.kind !== "lane") throw new Error("only messages to lanes have deliveries");
  const lane = await store.lane(message.recipient.lane);
  if (!lane) throw new Error(`no lane ${message.recipient.lane}`);
  return newDelivery(message, payloadHash(message), lane, defaultPolicy, message.createdAt);
}

export async function tryToAdmit(
  store: Store,
  message: Partial<Message> & { id: string },
  choice: LaneChoice | null = null,
): Promise<Admission> {
  const full = aMessage(message);
  return store.admit({ message: full, payloadHash: payloadHash(full), delivery: await recordFor(store, full), choice });
}

export async function admit(store: Store, message: Partial<Message> & { id: string }): Promise<DeliveryRecord> {
  const admission = await tryToAdmit(store, message);
  if (admission.outcome !== "admitted" || !admission.delivery) throw new Error(`not admitted: ${admission.outcome}`);
  return admission.delivery;
}

/** Applies events that are expected to be valid. */
export async function move(
  store: Store,
  record: DeliveryRecord,
  ...events: readonly DeliveryEvent[]
): Promise<Extract<Applied, { outcome: "applied" }>> {
  const applied = await store.apply(record.id, events);
  if (applied.outcome === "refused") throw new Error(`refused: ${applied.reason}`);
  return applied;
}

/** The next attempt of a delivery, with its own runtime ids. */
export function submit(
  record: DeliveryRecord,
  attempt: Partial<NewAttempt> & { at?: number; reconcileAt?: number } = {},
) {
  const number = record.attemptList.length + 1;
  const { at = start, reconcileAt = at + 20_000, ...rest } = attempt;
  const ids = { messageId: `msg-${record.id}-${number}`, partId: `part-${record.id}-${number}` };
  const event: EventOf<"submit"> = {
    type: "submit",
    at,
    reconcileAt,
    runtimeKind: "stub",
    runId: "run",
    attempt: {
      ...ids,
      number,
      kind: number === 1 ? "prompt" : "retry",
      spends: "attempts",
      because: null,
      choice: null,
      sessionId: "session-1",
      generation: 1,
      prePromptCursor: null,
      ...rest,
    },
  };
  return event;
}

export const accepted = (number = 1, at = start): DeliveryEvent => ({
  type: "accepted",
  at,
  number,
  reconcileAt: at + 20_000,
});

export const proven = (event: Partial<EventOf<"proven">> = {}): EventOf<"proven"> => ({
  type: "proven",
  at: start,
  proof: { by: "plain_text", visibleReply: null },
  observed: seen("responded_plain_text"),
  turnEnded: true,
  readCommitted: true,
  diagnostics: [],
  reconcileAt: start + 20_000,
  ...event,
});

export const failedForGood = (
  at = start,
  reconcileAt: number | null = null,
  reason: EventOf<"failed_terminal">["reason"] = "no_answer",
): DeliveryEvent => ({
  type: "failed_terminal",
  at,
  reason,
  observed: null,
  reconcileAt,
});

export const cancelled = (at = start): DeliveryEvent => ({
  type: "cancelled",
  at,
  by: "user",
  reason: "stopped_by_person",
  readCommitted: true,
  reconcileAt: at + 20_000,
});

export const unanswered = (at = start): DeliveryEvent => ({
  type: "unanswered",
  at,
  reason: "empty_assistant_turn",
  observed: seen("empty_assistant_turn"),
  reconcileAt: at + 20_000,
});

export const retryScheduled = (at = start): DeliveryEvent => ({
  type: "retry_scheduled",
  at,
  next: { kind: "retry", spends: "attempts", freshSession: false },
  reconcileAt: at + 30_000,
});

export const retriedByPerson = (at = start): DeliveryEvent => ({
  type: "retried_by_person",
  at,
  by: "user",
  budget: 3,
});

export function seen(state: ObservedFacts["state"]): ObservedFacts {
  return {
    state,
    deliveredUserMessageId: "user-row",
    assistantMessageId: "assistant-row",
    toolNames: ["bash"],
    newestRowId: "assistant-row",
    lastActivityAt: null,
    diagnostics: [],
  };
}
