/** Pure conversion from records to responses. A response has exactly the fields of its schema. */
import type { z } from "@hono/zod-openapi";
import type { AuditRow } from "../../core/delivery/audit-words.ts";
import { auditRows } from "../../core/delivery/audit-words.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { explanation } from "../../core/delivery/outlook.ts";
import { reasonSentence } from "../../core/delivery/reasons.ts";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import { awaitsSummary } from "../../core/delivery/record.ts";
import { missingFilesOf } from "../../core/delivery/texts.ts";
import { pauseOf } from "../../core/lane/lane.ts";
import type { LogItem, LogReset } from "../../core/log/log-item.ts";
import { memberOf, writtenAddress } from "../../core/message/message.ts";
import { boundedValue } from "../../core/turn/bounded-event.ts";
import type { Clock } from "../../platform/clock.ts";
import type {
  DeliveryDetail,
  DeliveryState,
  FollowedItem,
  LaneState,
  ListedDelivery,
  RuntimePrograms,
  RuntimeState,
  SendResult,
  Service,
  ShownAsk,
  ShownMail,
} from "../../service/service.ts";
import { askSchema, ledgerItemSchema, resetSchema } from "./event-schemas.ts";
import { frame } from "./event-stream.ts";
import { runtimeSchema } from "./program-schemas.ts";
import {
  deliveryDetailSchema,
  deliverySchema,
  laneSchema,
  listedDeliverySchema,
  messageSchema,
  sendResultSchema,
  sentSchema,
} from "./schemas.ts";

type Input<T> = T extends readonly (infer E)[]
  ? readonly Input<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Input<T[K]> }
    : T;

/** Parsing drops fields that the schema does not name. */
function project<S extends z.ZodType>(schema: S, fields: Input<z.input<S>>): z.output<S> {
  return schema.parse(fields);
}

/** A person or late proof may still change them. */
const outcomes: readonly Status[] = ["responded", "failed_terminal", "cancelled"];

export function sentView(state: DeliveryState): z.output<typeof sentSchema> {
  return project(sentSchema, { ...state.record, ...sentFields(state) });
}

function sentFields({ record, queuedBehind }: DeliveryState) {
  return {
    deliveryId: record.id,
    responsePending: !outcomes.includes(record.status) || awaitsSummary(record),
    ...(queuedBehind === null ? {} : { queuedBehindMessageId: queuedBehind.messageId }),
    ...(record.proof?.visibleReply ? { visibleReply: record.proof.visibleReply } : {}),
    ...(record.lastReason === null ? {} : { reason: record.lastReason }),
  };
}

export function sendResultView({ message, delivery, handOver, waits }: SendResult): z.output<typeof sendResultSchema> {
  const why = waits === null ? {} : { waits };
  if (delivery) return project(sendResultSchema, { ...delivery.record, ...sentFields(delivery), ...why });
  return project(sendResultSchema, {
    ...{ messageId: message.id, deliveryId: null, responseState: "not_observed", ...why },
    status: handOver?.state === "waiting" ? "pending" : "handed_over",
    ...(handOver ? { handOver } : {}),
    ...{ responsePending: false, acceptanceUnknown: false, diagnostics: [] },
  });
}

export function deliveryView(state: DeliveryState): z.output<typeof deliverySchema> {
  return project(deliverySchema, deliveryFields(state));
}

export function listedDeliveryView(state: ListedDelivery): z.output<typeof listedDeliverySchema> {
  return project(listedDeliverySchema, { ...deliveryFields(state), excerpt: state.excerpt });
}

function deliveryFields(state: DeliveryState) {
  const { record } = state;
  return {
    ...record,
    ...sentFields(state),
    lane: record.laneId,
    replyTo: record.replyRecipient,
    missingFiles: missingFilesOf(record),
    why: whyOf(record),
    proof: record.proof?.by ?? null,
    sessionId: record.runtimeSessionId,
    assistantMessageId: record.observedAssistantMessageId,
  };
}

/** Why it is held, else the reason of its last step. */
function whyOf({ status, heldReason, lastReason }: DeliveryRecord): string | null {
  const reason = (status === "pending" ? heldReason : null) ?? lastReason;
  return reason === null ? null : reasonSentence(reason);
}

export function deliveryDetailView(detail: DeliveryDetail): z.output<typeof deliveryDetailSchema> {
  const { record, outlook } = detail;
  return project(deliveryDetailSchema, {
    ...deliveryFields(detail),
    message: detail.message && messageFields(detail.message),
    replies: detail.replies.map(messageFields),
    attemptList: record.attemptList.map((attempt) => ({ ...attempt, runtimeMessageId: attempt.messageId })),
    audit: auditRows(detail.history).map(auditFields),
    evidence: evidenceFields(record),
    explanation: explanation(record, outlook),
    next: { step: outlook.next, at: outlook.at, words: outlook.words },
  });
}

function evidenceFields(record: DeliveryRecord) {
  return {
    ...record,
    proof: record.proof?.by ?? null,
    outcome: record.proof?.outcome ?? null,
    visibleReply: record.proof?.visibleReply ?? null,
    runtime: record.runtimeKind,
    sessionId: record.runtimeSessionId,
    assistantMessageId: record.observedAssistantMessageId,
    toolNames: record.observedToolNames,
    observedAt: record.lastObservedAt,
  };
}

function auditFields({ event, ...row }: AuditRow) {
  return { ...row, at: event.at, event: event.type, reason: reasonOf(event), by: "by" in event ? event.by : null };
}

function reasonOf(event: DeliveryEvent): string | null {
  if (event.type === "read_commit_failed") return event.error;
  return "reason" in event ? event.reason : null;
}

export function messageView(mail: ShownMail): z.output<typeof messageSchema> {
  return project(messageSchema, messageFields(mail));
}

function messageFields(mail: ShownMail) {
  const member = memberOf(mail);
  return {
    ...mail,
    to: writtenAddress(mail.recipient),
    lane: mail.laneId,
    member: member && { team: member.team, name: member.member },
    replyTo: mail.replyRecipient,
    outcome: mail.outcome ?? null,
    handOver: mail.handOver ?? null,
  };
}

export function laneView({ lane, ...state }: LaneState): z.output<typeof laneSchema> {
  const { holder, usage } = state;
  return project(laneSchema, {
    ...lane,
    ...state,
    pausedReason: pauseOf(lane),
    holder: holder && { ...holder, ...sentFields({ record: holder, queuedBehind: null }) },
    usage: usage.tokens === 0 && usage.cost === 0 ? null : usage,
  });
}

export function runtimeView(
  runtime: RuntimeState,
  { problem, programs }: RuntimePrograms = { problem: null, programs: [] },
): z.output<typeof runtimeSchema> {
  return project(runtimeSchema, {
    ...runtime,
    reason: problem,
    programs: programs.map((program) => ({ ...program, lane: program.laneId })),
  });
}

export function askView(ask: ShownAsk): z.output<typeof askSchema> {
  return project(askSchema, {
    ...ask,
    lane: ask.laneId,
    input: boundedValue(ask.input, maxAskCharacters),
    detail: boundedValue(ask.detail, maxAskCharacters),
    diff: ask.diff === null ? null : String(boundedValue(ask.diff, maxAskCharacters)),
  });
}

/** The limit for each part of an ask whose length the agent decides. */
const maxAskCharacters = 64 * 1024;

/** A ledger item as the stream sends it. */
export function streamEventView(item: LedgerItem): z.output<typeof ledgerItemSchema> {
  return project(ledgerItemSchema, streamEventFields(item));
}

type LedgerItem = Exclude<LogItem, { type: "event" }>;

function streamEventFields(item: LedgerItem) {
  switch (item.type) {
    case "message":
      return { ...item, message: messageFields(item.message) };
    case "delivery":
      return {
        ...item,
        event: item.event.type,
        reason: reasonOf(item.event),
        // The log does not know the queue; GET the delivery for that.
        delivery: deliveryFields({ record: item.record, queuedBehind: null }),
      };
    case "lane": {
      const { lane } = item;
      const pausedReason = lane && pauseOf(lane);
      return { ...item, id: item.laneId ?? lane?.id ?? "", removed: lane === null, pausedReason };
    }
    case "alert":
      return { ...item, alert: { ...item.alert, lane: item.alert.laneId, why: reasonSentence(item.alert.reason) } };
    case "team": {
      const { team } = item;
      const members = team?.members.map(({ name }) => name) ?? [];
      return { ...item, removed: team === null, state: team?.state ?? null, members };
    }
    case "read":
      return { ...item, to: writtenAddress(item.reader) };
    case "ask":
      return { ...item, id: item.ask, lane: item.laneId ?? "" };
    case "member":
    case "inbox":
      return { ...item, lane: item.laneId };
    default:
      return item satisfies never;
  }
}

/** Each item is serialised once for all readers; events are stored as text already. */
const frames = new WeakMap<LogItem, string>();

function streamFrame(item: LogItem): string {
  const known = frames.get(item);
  if (known !== undefined) return known;
  const made =
    item.type === "event"
      ? frame(item.cursor, item.event.type, item.text)
      : frame(item.cursor, item.type, JSON.stringify(streamEventView(item)));
  frames.set(item, made);
  return made;
}

/** A log item as the stream sends it; a reset with the current state of the lanes. */
export function frameMaker(service: Pick<Service, "lanes">, clock: Clock) {
  return async (item: FollowedItem): Promise<string> =>
    item.type === "reset" ? resetFrame(item, clock.now(), await service.lanes()) : streamFrame(item);
}

/** Tells the reader to reload everything, and gives it the cursor and lanes to start from. */
export function resetFrame({ cursor }: LogReset, now: number, lanes: readonly LaneState[]): string {
  const data = project(resetSchema, { type: "reset", at: now, lanes: lanes.map(laneView) });
  return frame(cursor, "reset", JSON.stringify(data));
}
