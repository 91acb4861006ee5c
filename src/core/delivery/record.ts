/**
 * The ledger's record of one message to one lane, and the rules that hold for every record at any time. Only
 * `transition` changes a record.
 */
import type { Lane } from "../lane/lane.ts";
import type { ActionMode, Address, InboxOrigin, Message, ReplyOutcome, Source, TaskRef } from "../message/message.ts";
import type { Attempt, NextAttempt } from "./attempt.ts";
import { deliveryId, laterAttemptFields } from "./attempt.ts";
import type { Policy } from "./policy.ts";

export const statuses = [
  "pending",
  "submitting",
  "accepted",
  "unanswered",
  "retry_scheduled",
  "failed_retryable",
  "failed_terminal",
  "responded",
  "cancelled",
] as const;
export type Status = (typeof statuses)[number];

export const responseStates = [
  "not_observed",
  "pending",
  "prompt_not_indexed",
  "prompt_delivered_no_assistant_message",
  "responded_tool_call",
  "responded_visible_message",
  "responded_non_visible_tool",
  "responded_plain_text",
  "permission_blocked",
  "question_blocked",
  "interrupted",
  "tool_error",
  "empty_assistant_turn",
  "session_stale",
  "session_error",
  "reconcile_failed",
] as const;
export type ResponseState = (typeof responseStates)[number];

/** How a visible reply is linked to its message, strongest first. */
export type Correlation = "relayOfMessageId" | "direct_child_message_send" | "plain_assistant_text";

export type VisibleReply = { messageId: string | null; mailbox: string | null; correlation: Correlation };

/** The basis of a proof. Only a record with a proof, or one that a person cancelled, is ever marked as read. */
export type Proof = {
  by: "destination_reply" | "visible_reply" | "tool" | "plain_text" | "notified_turn";
  visibleReply: VisibleReply | null;
  /** What the agent declared its reply to be, if it did. After a question, the sender is next. */
  outcome?: ReplyOutcome | null;
};

/** Files that the answer names, and until when to check for them. */
export type Claims = { names: readonly string[]; until: number };

export type DeliveryRecord = {
  id: string;
  team: string | null;
  member: string | null;
  laneId: string;
  /** The run of the daemon that sent the last attempt. */
  runId: string | null;
  /** Fixed at the first attempt: a delivery never moves to another runtime. */
  runtimeKind: string | null;
  runtimeSessionId: string | null;
  messageId: string;
  messageTimestamp: number;
  source: Source;
  replyRecipient: string;
  /** Where the answer goes; null for the person of that name. */
  replyTo: Address | null;
  actionMode: ActionMode | null;
  taskRefs: readonly TaskRef[];
  payloadHash: string;
  /** The inbox file that contains its message's row; null for a message that is only in the store. */
  inboxFile: InboxOrigin | null;
  expiresAt: number | null;
  status: Status;
  responseState: ResponseState;
  attempts: number;
  maxAttempts: number;
  repairs: number;
  maxRepairs: number;
  /** How many times it was started: by its admission, and by each retry by a person. */
  rounds: number;
  attemptList: readonly Attempt[];
  nextAttempt: NextAttempt | null;
  acceptanceUnknown: boolean;
  /** Why it waits for a person although its lane is free, or null. */
  heldReason: string | null;
  /**
   * True from the first attempt until it fails for good. A delivery that never had the lane, or released it, does not
   * take it again.
   */
  holdsLane: boolean;
  nextReconcileAt: number | null;
  /** Reconciles since the last send; sets the interval between them. */
  reconciles: number;
  /** Consecutive reads that showed an idle session in which the prompt was missing or had never run. */
  missedReads: number;
  /** How long the session has shown no activity, counting only time that was observed. */
  quietMs: number;
  activityAt: number | null;
  submittedAt: number | null;
  acceptedAt: number | null;
  lastObservedAt: number | null;
  respondedAt: number | null;
  failedAt: number | null;
  cancelledAt: number | null;
  turnEndedAt: number | null;
  readCommittedAt: number | null;
  readCommitError: string | null;
  prePromptCursor: string | null;
  postPromptCursor: string | null;
  deliveredUserMessageId: string | null;
  observedAssistantMessageId: string | null;
  observedToolNames: readonly string[];
  proof: Proof | null;
  claims: Claims | null;
  lastReason: string | null;
  diagnostics: readonly string[];
  createdAt: number;
  updatedAt: number;
  version: number;
};

/** Sent, and not ended. */
export const openStatuses: readonly Status[] = [
  "submitting",
  "accepted",
  "unanswered",
  "retry_scheduled",
  "failed_retryable",
];

/** An outstanding delivery blocks its lane for others. The store's unique index repeats this rule. */
export function isOutstanding(record: DeliveryRecord): boolean {
  return openStatuses.includes(record.status) || (record.holdsLane && isOwed(record));
}

/** Ended, with the read commit or the end of the turn still to come. */
export function isOwed(record: DeliveryRecord): boolean {
  const ended = record.status === "responded" || record.status === "cancelled";
  return ended && (record.readCommittedAt === null || record.turnEndedAt === null);
}

/** Whether its read is committed together with its end. A row in an inbox file is marked in a second step. */
export function readsWithLedger({ inboxFile }: DeliveryRecord, reads: { commitsWithLedger: boolean }): boolean {
  return reads.commitsWithLedger && inboxFile === null;
}

/** Sent, and nothing shows yet whether it arrived. */
export function isUnconfirmed(record: DeliveryRecord): boolean {
  return record.status === "submitting" || record.status === "failed_retryable";
}

/** Proven, and the text that its sender will read is still to come. */
export function awaitsSummary(record: DeliveryRecord): boolean {
  if (record.status !== "responded" || record.turnEndedAt !== null) return false;
  return record.nextAttempt?.kind === "summary" || lastAttempt(record)?.kind === "summary";
}

export function lastAttempt(record: DeliveryRecord): Attempt | undefined {
  return record.attemptList.at(-1);
}

export function newDelivery(
  message: Message,
  payloadHash: string,
  lane: Lane,
  policy: Policy,
  at: number,
): DeliveryRecord {
  return {
    id: deliveryId({ team: lane.team, member: lane.member, laneId: lane.id, messageId: message.id }),
    team: lane.team,
    member: lane.member,
    laneId: lane.id,
    runId: null,
    runtimeKind: null,
    runtimeSessionId: null,
    messageId: message.id,
    messageTimestamp: message.createdAt,
    source: message.source,
    replyRecipient: message.replyRecipient,
    replyTo: message.replyTo ?? null,
    actionMode: message.actionMode,
    taskRefs: message.taskRefs,
    payloadHash,
    inboxFile: message.inboxFile ?? null,
    expiresAt: message.expiresAt,
    status: "pending",
    responseState: "not_observed",
    attempts: 0,
    maxAttempts: policy.maxAttempts,
    repairs: 0,
    maxRepairs: policy.maxRepairs,
    rounds: 1,
    attemptList: [],
    nextAttempt: null,
    acceptanceUnknown: false,
    heldReason: null,
    holdsLane: false,
    nextReconcileAt: message.expiresAt,
    reconciles: 0,
    missedReads: 0,
    quietMs: 0,
    activityAt: null,
    submittedAt: null,
    acceptedAt: null,
    lastObservedAt: null,
    respondedAt: null,
    failedAt: null,
    cancelledAt: null,
    turnEndedAt: null,
    readCommittedAt: null,
    readCommitError: null,
    prePromptCursor: null,
    postPromptCursor: null,
    deliveredUserMessageId: null,
    observedAssistantMessageId: null,
    observedToolNames: [],
    proof: null,
    claims: null,
    lastReason: null,
    diagnostics: [],
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
}

const maxDiagnostics = 20;

export function addDiagnostics(record: DeliveryRecord, more: readonly string[]): readonly string[] {
  return [...new Set([...record.diagnostics, ...more])].slice(-maxDiagnostics);
}

/** Null values and empty lists are not stored; older records also lack fields that were added later. */
const empty = {
  team: null,
  member: null,
  runId: null,
  runtimeKind: null,
  runtimeSessionId: null,
  replyTo: null,
  actionMode: null,
  taskRefs: [],
  inboxFile: null,
  expiresAt: null,
  rounds: 1,
  attemptList: [],
  nextAttempt: null,
  heldReason: null,
  nextReconcileAt: null,
  activityAt: null,
  submittedAt: null,
  acceptedAt: null,
  lastObservedAt: null,
  respondedAt: null,
  failedAt: null,
  cancelledAt: null,
  turnEndedAt: null,
  readCommittedAt: null,
  readCommitError: null,
  prePromptCursor: null,
  postPromptCursor: null,
  deliveredUserMessageId: null,
  observedAssistantMessageId: null,
  observedToolNames: [],
  proof: null,
  claims: null,
  lastReason: null,
  diagnostics: [],
} as const satisfies Partial<DeliveryRecord>;

export type StoredRecord = Omit<DeliveryRecord, keyof typeof empty> & Partial<Pick<DeliveryRecord, keyof typeof empty>>;

export function recordFrom(json: string): DeliveryRecord {
  return upcast(JSON.parse(json) as StoredRecord);
}

export function upcast(record: StoredRecord): DeliveryRecord {
  const { attemptList = [] } = record;
  return { ...empty, ...record, attemptList: attemptList.map((attempt) => ({ ...laterAttemptFields, ...attempt })) };
}

/** A record in its stored form: without null values and empty lists. */
export function storedRecord(record: DeliveryRecord): StoredRecord {
  const stored: Record<string, unknown> = {};
  for (const key in record) {
    const value = record[key as keyof DeliveryRecord];
    if (value !== null && !(Array.isArray(value) && value.length === 0)) stored[key] = value;
  }
  return stored as StoredRecord;
}

export const alertKinds = ["ask", "failure", "late", "loop", "held"] as const;
type AlertKind = (typeof alertKinds)[number];

/** Something has waited too long for a person, or agents are stuck in a loop. Raised once. */
export type Alert = {
  /** Derived from its subject, so that no alert is raised twice. */
  id: string;
  kind: AlertKind;
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  askId: string | null;
  /** The person concerned: the recipient of the answer. */
  person: string | null;
  reason: string;
  since: number;
  raisedAt: number;
};
