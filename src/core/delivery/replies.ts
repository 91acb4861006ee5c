/**
 * What goes back to a sender: the agent's own words, or Waybill's notice that a message failed for good.
 * Their ids are derived from the delivery, so that none is ever written twice.
 */
import type { Lane } from "../lane/lane.ts";
import { laneName } from "../lane/lane.ts";
import type { Message, MessageOutcome, OutgoingMail } from "../message/message.ts";
import { payloadHash } from "../message/message.ts";
import type { DeliveryEvent } from "./delivery-event.ts";
import { superseded } from "./reasons.ts";
import type { DeliveryRecord } from "./record.ts";
import { lastAttempt } from "./record.ts";

const waybillSender = "waybill";

/** The agent's answer, and the news that nothing more will come. */
export function mailFor(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  answer: string | null,
  lane: Lane,
  at: number,
): OutgoingMail[] {
  const failures = events.flatMap((event) =>
    event.type === "failed_terminal" || (event.type === "cancelled" && event.by === "session") ? [event.reason] : [],
  );
  return [
    ...(answer === null ? [] : [answerMail(record, lane, answer, at)]),
    ...failures.map((reason) => failureMail(record, lane, reason, at)),
  ];
}

/** The text that ended the agent's turn; what it says about missing files comes beside its answer. */
export function answerMail(record: DeliveryRecord, lane: Lane, text: string, at: number): OutgoingMail {
  const beside = lastAttempt(record)?.kind === "follow_up" ? "-follow-up" : "";
  return mail(record, { id: `answer-${record.id}${beside}`, from: laneName(lane), text, at });
}

/** What an agent said that closes nothing, marked as what it is. */
export function remarkMail(
  record: DeliveryRecord,
  lane: Lane,
  remark: { text: string; as: MessageOutcome },
  at: number,
): OutgoingMail {
  const id = `remark-${record.id}-${record.attemptList.length}`;
  return mail(record, { id, from: laneName(lane), text: remark.text, outcome: remark.as, at });
}

/** Waybill speaks for itself here and never in an agent's name. */
export function failureMail(record: DeliveryRecord, lane: Lane, reason: string, at: number): OutgoingMail {
  const name = laneName(lane);
  const text =
    reason === superseded
      ? `Your message to ${name} is not asked again: you wrote on while it waited for its next try, and what you wrote then went first. \`waybill retry ${record.messageId}\` asks it after all.`
      : `Your message to ${name} was not answered (${reason}). It stays unread and is not tried again by itself.`;
  // A delivery that a person retries may fail anew, and that is news.
  return mail(record, { id: `failure-${record.id}-${record.version}`, from: waybillSender, text, at });
}

/** The message ran out of time before it could be sent. */
export function expiryMail(record: DeliveryRecord, lane: Lane, at: number): OutgoingMail {
  const text = `Your message to ${laneName(lane)} expired before it could be delivered.`;
  return mail(record, { id: `expiry-${record.id}`, from: waybillSender, text, at });
}

function mail(
  record: DeliveryRecord,
  written: { id: string; from: string; text: string; outcome?: MessageOutcome; at: number },
): OutgoingMail {
  const message: Message = {
    id: written.id,
    recipient: { kind: "person", name: record.replyRecipient },
    from: written.from,
    fromLane: null,
    laneId: record.laneId,
    text: written.text,
    summary: null,
    actionMode: "notify",
    taskRefs: record.taskRefs,
    relayOfMessageId: record.messageId,
    ...(written.outcome ? { outcome: written.outcome } : {}),
    attachments: [],
    replyRecipient: written.from,
    conversation: null,
    source: "watchdog",
    expiresAt: null,
    createdAt: written.at,
  };
  return { message, payloadHash: payloadHash(message) };
}
