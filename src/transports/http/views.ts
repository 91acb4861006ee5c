/** From records to responses: pure. A response has the fields that its schema names, and no others. */

import type { z } from "@hono/zod-openapi";
import type { Clock } from "../../clock.ts";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { missingFilesOf } from "../../core/delivery/prompt-text.ts";
import type { DeliveryRecord, Status } from "../../core/delivery/record.ts";
import { awaitsSummary } from "../../core/delivery/record.ts";
import { pauseOf } from "../../core/lane/lane.ts";
import type { LogItem, LogReset } from "../../core/log/log-item.ts";
import { writtenAddress } from "../../core/message/address.ts";
import type {
  DeliveryDetail,
  DeliveryState,
  FollowedItem,
  LaneState,
  OpenAsk,
  SendResult,
  Service,
  ShownMail,
} from "../../service/service.ts";
import { frame } from "./event-stream.ts";
import {
  askSchema,
  auditSchema,
  deliveryDetailSchema,
  deliverySchema,
  laneSchema,
  ledgerItemSchema,
  messageSchema,
  resetSchema,
  sendResultSchema,
  sentSchema,
} from "./schemas.ts";

type Input<T> = T extends readonly (infer E)[]
  ? readonly Input<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Input<T[K]> }
    : T;

/** Parsing drops what the schema does not name. */
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
    ...(queuedBehind === null ? {} : { queuedBehindMessageId: queuedBehind }),
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

function deliveryFields(state: DeliveryState) {
  const { record } = state;
  const missingFiles = missingFilesOf(record);
  return { ...record, ...sentFields(state), lane: record.laneId, replyTo: record.replyRecipient, missingFiles };
}

export function deliveryDetailView(detail: DeliveryDetail): z.output<typeof deliveryDetailSchema> {
  const { record, outlook } = detail;
  return project(deliveryDetailSchema, {
    ...deliveryFields(detail),
    message: detail.message && messageFields(detail.message),
    replies: detail.replies.map(messageFields),
    attemptList: record.attemptList.map((attempt) => ({ ...attempt, runtimeMessageId: attempt.messageId })),
    audit: detail.history.map(auditFields),
    evidence: evidenceFields(record),
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

export function auditView(event: DeliveryEvent): z.output<typeof auditSchema> {
  return project(auditSchema, auditFields(event));
}

function auditFields(event: DeliveryEvent) {
  return { at: event.at, event: event.type, reason: reasonOf(event), by: "by" in event ? event.by : null };
}

function reasonOf(event: DeliveryEvent): string | null {
  if (event.type === "read_commit_failed") return event.error;
  return "reason" in event ? event.reason : null;
}

export function messageView(mail: ShownMail): z.output<typeof messageSchema> {
  return project(messageSchema, messageFields(mail));
}

function messageFields(mail: ShownMail) {
  return {
    ...mail,
    to: writtenAddress(mail.recipient),
    lane: mail.laneId,
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

export function askView(ask: OpenAsk): z.output<typeof askSchema> {
  return project(askSchema, { ...ask, lane: ask.laneId });
}

/** What an item of the ledger is in the stream. */
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
        // The log does not know what waits behind what; the delivery itself does.
        delivery: deliveryFields({ record: item.record, queuedBehind: null }),
      };
    case "lane": {
      const { lane } = item;
      const pausedReason = lane && pauseOf(lane);
      return { ...item, id: item.laneId ?? lane?.id ?? "", removed: lane === null, pausedReason };
    }
    case "alert":
      return { ...item, alert: { ...item.alert, lane: item.alert.laneId } };
    case "team": {
      const { team } = item;
      const members = team?.members.map(({ name }) => name) ?? [];
      return { ...item, removed: team === null, state: team?.state ?? null, members };
    }
    case "member":
    case "inbox":
      return { ...item, lane: item.laneId };
    default:
      return item satisfies never;
  }
}

/** An item has one text, however many read it; an event brings its own. */
const frames = new WeakMap<LogItem, string>();

export function streamFrame(item: LogItem): string {
  const known = frames.get(item);
  if (known !== undefined) return known;
  const made =
    item.type === "event"
      ? frame(item.cursor, item.event.type, item.text)
      : frame(item.cursor, item.type, JSON.stringify(streamEventView(item)));
  frames.set(item, made);
  return made;
}

/** An item of the log as a stream brings it; a reset with the lanes as they are now. */
export function frameMaker(service: Pick<Service, "lanes">, clock: Clock) {
  return async (item: FollowedItem): Promise<string> =>
    item.type === "reset" ? resetFrame(item, clock.now(), await service.lanes()) : streamFrame(item);
}

/** The reader has to look at everything again; this is where to begin. */
export function resetFrame({ cursor }: LogReset, now: number, lanes: readonly LaneState[]): string {
  const data = project(resetSchema, { type: "reset", at: now, lanes: lanes.map(laneView) });
  return frame(cursor, "reset", JSON.stringify(data));
}
