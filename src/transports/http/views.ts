/**
 * From records to what the API shows: pure, and field by field, so that nothing comes out that its shape does not name.
 */
import type { z } from "@hono/zod-openapi";
import type { Alert } from "../../core/delivery/alert.ts";
import type { Attempt } from "../../core/delivery/attempt.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord, Status, VisibleReply } from "../../core/delivery/record.ts";
import { awaitsSummary } from "../../core/delivery/record.ts";
import type { FeedItem } from "../../core/log/feed-item.ts";
import type { Mail, TaskRef } from "../../core/message/message.ts";
import type { DeliveryDetail, DeliveryState, LaneState, OpenAsk } from "../../service/service.ts";
import type {
  alertShape,
  askShape,
  attemptShape,
  auditShape,
  deliveryDetailShape,
  deliveryShape,
  laneShape,
  messageShape,
  sentShape,
  streamEventShape,
} from "./shapes.ts";

type Sent = z.output<typeof sentShape>;
type Delivery = z.output<typeof deliveryShape>;

/** After these an outcome has been reached, though a person or late proof may still change it. */
const outcomes: readonly Status[] = ["responded", "failed_terminal", "cancelled"];

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

export function sentView({ record, queuedBehind }: DeliveryState): Sent {
  return {
    messageId: record.messageId,
    deliveryId: record.id,
    status: record.status,
    responseState: record.responseState,
    responsePending: !outcomes.includes(record.status) || awaitsSummary(record),
    acceptanceUnknown: record.acceptanceUnknown,
    ...(queuedBehind === null ? {} : { queuedBehindMessageId: queuedBehind }),
    ...(record.proof?.visibleReply ? { visibleReply: visibleReplyView(record.proof.visibleReply) } : {}),
    ...(record.lastReason === null ? {} : { reason: record.lastReason }),
    diagnostics: [...record.diagnostics],
  };
}

function visibleReplyView({ messageId, mailbox, correlation }: VisibleReply) {
  return { messageId, mailbox, correlation };
}

export function deliveryView(state: DeliveryState): Delivery {
  const { record } = state;
  return {
    ...sentView(state),
    id: record.id,
    lane: record.laneId,
    team: record.team,
    member: record.member,
    actionMode: record.actionMode,
    source: record.source,
    attempts: record.attempts,
    maxAttempts: record.maxAttempts,
    repairs: record.repairs,
    replyTo: record.replyRecipient,
    payloadHash: record.payloadHash,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    acceptedAt: isoOrNull(record.acceptedAt),
    respondedAt: isoOrNull(record.respondedAt),
    failedAt: isoOrNull(record.failedAt),
    cancelledAt: isoOrNull(record.cancelledAt),
    readCommittedAt: isoOrNull(record.readCommittedAt),
    nextLookAt: isoOrNull(record.nextLookAt),
    expiresAt: isoOrNull(record.expiresAt),
    version: record.version,
  };
}

export function deliveryDetailView(detail: DeliveryDetail): z.output<typeof deliveryDetailShape> {
  return {
    ...deliveryView(detail),
    message: detail.message && messageView(detail.message),
    replies: detail.replies.map(messageView),
    attemptList: detail.record.attemptList.map(attemptView),
    audit: detail.history.map(auditView),
    evidence: evidenceView(detail.record),
    next: { step: detail.outlook.next, at: isoOrNull(detail.outlook.at), words: detail.outlook.words },
  };
}

function evidenceView(record: DeliveryRecord): z.output<typeof deliveryDetailShape>["evidence"] {
  const visibleReply = record.proof?.visibleReply ?? null;
  return {
    proof: record.proof?.by ?? null,
    visibleReply: visibleReply && visibleReplyView(visibleReply),
    runtime: record.runtimeKind,
    sessionId: record.runtimeSessionId,
    deliveredUserMessageId: record.deliveredUserMessageId,
    assistantMessageId: record.observedAssistantMessageId,
    toolNames: [...record.observedToolNames],
    observedAt: isoOrNull(record.lastObservedAt),
    turnEndedAt: isoOrNull(record.turnEndedAt),
    readCommitError: record.readCommitError,
  };
}

function attemptView(attempt: Attempt): z.output<typeof attemptShape> {
  return {
    number: attempt.number,
    kind: attempt.kind,
    because: attempt.because,
    sessionId: attempt.sessionId,
    runtimeMessageId: attempt.messageId,
    sends: attempt.sends,
    submittedAt: isoTime(attempt.submittedAt),
    storedAt: isoOrNull(attempt.storedAt),
    firstTokenAt: isoOrNull(attempt.firstTokenAt),
    lastActivityAt: isoOrNull(attempt.lastActivityAt),
    finishedAt: isoOrNull(attempt.finishedAt),
    provenAt: isoOrNull(attempt.provenAt),
  };
}

export function auditView(event: DeliveryEvent): z.output<typeof auditShape> {
  return {
    at: isoTime(event.at),
    event: event.type,
    reason: reasonOf(event),
    by: "by" in event ? event.by : null,
  };
}

function reasonOf(event: DeliveryEvent): string | null {
  if (event.type === "read_commit_failed") return event.error;
  return "reason" in event ? event.reason : null;
}

export function messageView(mail: Mail): z.output<typeof messageShape> {
  return {
    id: mail.id,
    to: mail.recipient.kind === "lane" ? { lane: mail.recipient.lane } : { person: mail.recipient.name },
    from: mail.from,
    lane: mail.laneId,
    text: mail.text,
    summary: mail.summary,
    actionMode: mail.actionMode,
    taskRefs: mail.taskRefs.map(taskRefView),
    relayOfMessageId: mail.relayOfMessageId,
    replyTo: mail.replyRecipient,
    source: mail.source,
    expiresAt: isoOrNull(mail.expiresAt),
    createdAt: isoTime(mail.createdAt),
    readAt: isoOrNull(mail.readAt),
  };
}

function taskRefView({ id, team, title }: TaskRef) {
  return { id, ...(team === undefined ? {} : { team }), ...(title === undefined ? {} : { title }) };
}

export function laneView({
  lane,
  runtimeReady,
  holder,
  waiting,
  waitReason,
  notices,
  usage,
}: LaneState): z.output<typeof laneShape> {
  return {
    id: lane.id,
    displayName: lane.displayName,
    team: lane.team,
    member: lane.member,
    runtime: lane.runtime,
    runtimeReady,
    directory: lane.directory,
    agent: lane.agent,
    model: lane.model,
    contract: lane.contract,
    pausedReason: lane.pausedReason,
    sessionId: lane.sessionId,
    generation: lane.generation,
    createdAt: isoTime(lane.createdAt),
    holder: holder && sentView({ record: holder, queuedBehind: null }),
    waiting,
    waitReason,
    notices: [...notices],
    usage: usage.tokens === 0 && usage.cost === 0 ? null : { tokens: usage.tokens, cost: usage.cost },
  };
}

export function askView(ask: OpenAsk): z.output<typeof askShape> {
  return {
    id: ask.id,
    kind: ask.kind,
    title: ask.title,
    lane: ask.laneId,
    deliveryId: ask.deliveryId,
    messageId: ask.messageId,
    since: isoTime(ask.since),
  };
}

export function alertView(alert: Alert): z.output<typeof alertShape> {
  return {
    id: alert.id,
    kind: alert.kind,
    lane: alert.laneId,
    deliveryId: alert.deliveryId,
    messageId: alert.messageId,
    askId: alert.askId,
    person: alert.person,
    reason: alert.reason,
    since: isoTime(alert.since),
    raisedAt: isoTime(alert.raisedAt),
  };
}

export function streamEventView(item: FeedItem): z.output<typeof streamEventShape> {
  const at = isoTime(item.at);
  switch (item.type) {
    case "message":
      return { type: "message", at, message: messageView(item.message) };
    case "delivery": {
      // Who waits behind whom is not in the feed; whoever needs it asks for the delivery.
      const delivery = deliveryView({ record: item.record, queuedBehind: null });
      return { type: "delivery", at, event: item.event.type, reason: reasonOf(item.event), delivery };
    }
    case "lane": {
      const { lane } = item;
      const id = item.laneId ?? lane?.id ?? "";
      return { type: "lane", at, id, removed: lane === null, pausedReason: lane?.pausedReason ?? null };
    }
    case "alert":
      return { type: "alert", at, alert: alertView(item.alert) };
    case "reset":
      return { type: "reset", at };
    default:
      return item satisfies never;
  }
}
