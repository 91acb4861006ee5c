/**
 * Replies to a sender, person or agent: the agent's own words, or Waybill's notice that a message failed for good.
 * Their ids are derived from the delivery, so that none is written twice.
 */
import type { Lane } from "../lane/lane.ts";
import { laneName } from "../lane/lane.ts";
import type { Message, MessageOutcome } from "../message/message.ts";
import { laneAddress, payloadHash, replyAddress } from "../message/message.ts";
import type { DeliveryEvent, OutgoingMail } from "./delivery-event.ts";
import type { Policy } from "./policy.ts";
import { superseded } from "./reasons.ts";
import type { DeliveryRecord } from "./record.ts";
import { lastAttempt, newDelivery } from "./record.ts";

/** The name Waybill uses for its own messages. They cannot be answered, and Waybill gets no notices itself. */
export const waybillSender = "waybill";

export type MailContext = {
  /** The lane the message was sent to. */
  lane: Lane;
  /** The lane of the agent that gets the answer; null for all other recipients, and if it was removed. */
  replyLane: Lane | null;
  policy: Policy;
  at: number;
};

/** The agent's answer, and the notice that nothing more will come. */
export function mailFor(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  answer: string | null,
  context: MailContext,
): OutgoingMail[] {
  return [
    ...(answer === null ? [] : answerMail(record, answer, context)),
    ...failuresIn(events).flatMap((reason) => failureMail(record, reason, context)),
  ];
}

/** Why nothing more will come, if the sender does not know it yet. */
export function failuresIn(events: readonly DeliveryEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "failed_terminal" || (event.type === "cancelled" && event.by === "session") ? [event.reason] : [],
  );
}

/**
 * The text that ended the agent's turn; its answer about missing files is a separate message. An agent's comment on a
 * notification is not sent to another agent, which would comment in turn.
 */
export function answerMail(record: DeliveryRecord, text: string, context: MailContext): OutgoingMail[] {
  if (record.actionMode === "notify" && replyAddress(record).kind !== "person") return [];
  const beside = lastAttempt(record)?.kind === "follow_up" ? "-follow-up" : "";
  return mail(record, { id: `answer-${record.id}${beside}`, isAgents: true, text }, context);
}

/** Something an agent said that closes nothing, labelled as such. */
export function remarkMail(
  record: DeliveryRecord,
  remark: { text: string; as: MessageOutcome },
  context: MailContext,
): OutgoingMail[] {
  const id = `remark-${record.id}-${record.attemptList.length}`;
  return mail(record, { id, isAgents: true, text: remark.text, outcome: remark.as }, context);
}

/** Sent under Waybill's own name, never under an agent's. */
export function failureMail(record: DeliveryRecord, reason: string, context: MailContext): OutgoingMail[] {
  const name = laneName(context.lane);
  const text =
    reason === superseded
      ? `Your message to ${name} will not be retried: you wrote another message while it waited for a retry, and that one went first. \`waybill retry ${record.messageId}\` sends it after all.`
      : `Your message to ${name} was not answered (${reason}). It stays unread and is not retried automatically.`;
  // A delivery that a person retries may fail again, and the sender has to learn of it.
  return mail(record, { id: `failure-${record.id}-${record.version}`, text }, context);
}

/** The message expired before it could be sent. */
export function expiryMail(record: DeliveryRecord, context: MailContext): OutgoingMail[] {
  const text = `Your message to ${laneName(context.lane)} expired before it could be delivered.`;
  return mail(record, { id: `expiry-${record.id}`, text }, context);
}

/**
 * It waits, and for longer than its sender may expect. `what` distinguishes it from the same notice at another time.
 */
export function waitingMail(
  record: DeliveryRecord,
  { what, why }: { what: string; why: string },
  context: MailContext,
): OutgoingMail[] {
  const text = `Your message to ${laneName(context.lane)} waits: ${why}.`;
  return mail(record, { id: `waiting-${record.id}-${what}`, text }, context);
}

type Written = { id: string; text: string; isAgents?: boolean; outcome?: MessageOutcome };

/** Empty if there is no one to read it. */
function mail(record: DeliveryRecord, written: Written, { lane, replyLane, policy, at }: MailContext): OutgoingMail[] {
  const recipient = replyAddress(record);
  const isToLane = recipient.kind === "lane";
  if ((isToLane && replyLane === null) || (!record.replyTo && record.replyRecipient === waybillSender)) return [];
  const from = written.isAgents ? laneName(lane) : waybillSender;
  const message: Message = {
    id: written.id,
    recipient,
    from,
    fromLane: null,
    laneId: isToLane ? recipient.lane : record.laneId,
    text: written.text,
    summary: null,
    actionMode: "notify",
    taskRefs: record.taskRefs,
    relayOfMessageId: record.messageId,
    ...(written.outcome ? { outcome: written.outcome } : {}),
    attachments: [],
    replyRecipient: from,
    ...(written.isAgents && isToLane ? { replyTo: laneAddress(record.laneId) } : {}),
    conversation: null,
    source: "watchdog",
    expiresAt: null,
    createdAt: at,
  };
  const hash = payloadHash(message);
  const delivery = replyLane && isToLane ? newDelivery(message, hash, replyLane, policy, at) : null;
  return [{ message, payloadHash: hash, delivery }];
}
