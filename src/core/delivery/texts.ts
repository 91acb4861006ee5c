/**
 * What Waybill writes for a delivery. Around a message for an agent: who wrote it, how to answer, and in a retry what was
 * missing. The sender's text is unchanged. On a `text` lane a person's first prompt is that text alone, as in a chat. To
 * a sender, person or agent: the agent's own words, or the notice that a message failed for good; their ids are derived
 * from the delivery, so that none is written twice.
 */
import type { Lane, ReplyContract } from "../lane/lane.ts";
import { laneName } from "../lane/lane.ts";
import type { Message, MessageOutcome } from "../message/message.ts";
import { laneAddress, payloadHash, replyAddress, senderOf } from "../message/message.ts";
import type { Attempt, FollowUpKind } from "./attempt.ts";
import { isFollowUp } from "./attempt.ts";
import type { DeliveryEvent, OutgoingMail } from "./delivery-event.ts";
import type { Policy } from "./policy.ts";
import { reasons, superseded } from "./reasons.ts";
import type { DeliveryRecord } from "./record.ts";
import { lastAttempt, newDelivery } from "./record.ts";

const markerHead = "[waybill message ";

/** The start of a prompt, with the message's id; also the anchor for runtimes that take no ids. */
export function promptMarker(messageId: string): string {
  return `${markerHead}${messageId} from `;
}

export function hasMarker(text: string): boolean {
  return text.includes(markerHead);
}

/** The text without the marker, for people. */
export function withoutMarker(text: string): string {
  if (!text.startsWith(markerHead)) return text;
  return text.slice(text.indexOf("]") + 1).trimStart();
}

export type PromptInput = {
  message: Message;
  contract: ReplyContract;
  attempt: Pick<Attempt, "kind" | "number" | "because">;
  /** How many prompts the message may use. */
  maxAttempts: number;
  /** Describes the writer if more than the name is known: "backend developer in your team". */
  writer?: string | null;
  /** For a follow-up: the files that the answer named and that are missing. */
  missingFiles?: readonly string[];
  /** For a summary: the files in the lane's directory that changed since the message was first sent. */
  changedFiles?: readonly string[];
  takesIds: boolean;
  /** A digest of the lane's conversation before its session was replaced. */
  digest: string | null;
};

export function promptText(input: PromptInput): string {
  const { message, contract, attempt, digest, writer = null } = input;
  const parts: string[] = [];
  // In a chat with a person, the writer is clear.
  const isOfPerson = senderOf(message) === null && message.source !== "watchdog" && !message.inboxFile;
  const isChat = contract === "text" && isOfPerson;
  if (!isChat || !input.takesIds) {
    parts.push(`${promptMarker(message.id)}${message.from}${writer === null ? "" : `, ${writer}`}]`);
  }
  if (isFollowUp(attempt.kind)) return [...parts, followUpText(attempt.kind, input)].join("\n\n");
  if (digest !== null) parts.push(digest);
  if (attempt.kind === "retry") parts.push(retryText(input));
  parts.push(message.text);
  if (contract === "tool") parts.push(replyInstructions(message));
  return parts.join("\n\n");
}

const missingFile = "claimed_file_missing:";

export function missingFileDiagnostic(name: string): string {
  return missingFile + name;
}

export function missingFilesOf({ diagnostics }: Pick<DeliveryRecord, "diagnostics">): string[] {
  return diagnostics.filter((one) => one.startsWith(missingFile)).map((one) => one.slice(missingFile.length));
}

function followUpText(kind: FollowUpKind, input: Pick<PromptInput, "missingFiles" | "changedFiles">): string {
  const { missingFiles = [], changedFiles = [] } = input;
  if (kind === "summary") {
    const which = changedFiles.length === 0 ? "" : ` Changed since it came: ${changedFiles.join(", ")}.`;
    return `You changed files for the last message and said nothing about it; the sender sees only your words.${which} Say in a few sentences what you changed and what came of it. Use no tools and change nothing more.`;
  }
  return `Your answer names files that are not there: ${missingFiles.join(", ")}. If they should be there, write them now. Then say in a sentence or two where they are, or why they are not.`;
}

function replyInstructions(message: Message): string {
  const tasks = message.taskRefs.map((ref) => ref.id).join(", ");
  const about = tasks === "" ? "" : `This concerns: ${tasks}. `;
  if (message.actionMode === "notify") return `${about}This is for your information. No reply is needed.`;
  const intent = message.actionMode === null ? "" : `${intentWords[message.actionMode]} `;
  return (
    `${about}${intent}Reply with the message_send tool: to "${message.replyRecipient}", relayOfMessageId "${message.id}", ` +
    `and as outcome ${outcomeWords}. ` +
    "Say what you found or did; an acknowledgement alone does not count as a reply. " +
    "Without that tool, answer in plain text."
  );
}

/** What the sender wants, in words for the agent. */
const intentWords = {
  do: "The sender wants this done.",
  ask: "The sender wants an answer.",
  delegate: "The sender wants you to pass this on, and to hear to whom.",
};

/** The outcomes, in words for the agent. */
const outcomeWords =
  '"answer", "done", "question" (you need to know something first), "blocked" (something keeps you from going on) or "progress" (more is to come)';

function retryText({ attempt, contract, maxAttempts, message }: PromptInput): string {
  const how = contract === "tool" ? "with message_send" : "in plain text";
  // Prompts caused by a broken session do not count toward the message's own.
  const of = attempt.number <= maxAttempts ? ` of ${maxAttempts}` : "";
  const which = `(prompt ${attempt.number}${of} for ${contract === "tool" ? `message "${message.id}"` : "it"})`;
  const [because, detail] = splitReason(attempt.because);
  switch (because) {
    case reasons.failedSend:
      return `Your reply to the message below did not arrive: ${detail}. The sender has seen nothing of it ${which}. Send it again ${how}, to the recipient and with the relayOfMessageId that are named below. There is no need to repeat the work.`;
    case reasons.progress:
      return `You reported progress on the message below, and your turn ended there ${which}. Continue where you stopped, and then report the result ${how}, with its outcome: ${outcomeWords}.`;
    case reasons.failedWork:
      return `What you ran for the message below failed, and you said nothing about it ${which}. Look at the error and try again, or say ${how} what is blocking you.`;
    case reasons.notice:
      return `What came back for the message below reads like an error from the model's provider ${which}. If it was your answer, say it once more ${how}. Otherwise, please work on the message now.`;
    case "visible_reply_still_required":
      return `You worked on the message below, but the sender has seen no answer ${which}. Give the answer ${how}. There is no need to repeat the work, and an acknowledgement alone does not count.`;
    case reasons.acknowledgement:
      return `You acknowledged the message below, and nothing followed ${which}. Give a result, a question or what is blocking you, ${how}.`;
    default:
      return `The message below reached you before, and nothing shows that you acted on it ${which}. If you did, do not do it twice: report the result ${how}. Otherwise, please work on it now.`;
  }
}

/** A reason may quote an error after a colon. */
function splitReason(because: string | null): [string | null, string] {
  const place = because?.indexOf(": ") ?? -1;
  return because === null || place < 0 ? [because, ""] : [because.slice(0, place), because.slice(place + 2)];
}

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
