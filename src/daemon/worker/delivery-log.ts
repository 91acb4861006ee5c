/**
 * What operators learn of deliveries. The log has one line for each step that they may search for, always with the same
 * fields; a message's text is logged at level `debug` only, and only its beginning. The metrics are Prometheus'; their
 * labels have few values: no lanes, no messages.
 */

import { Counter, Histogram, type Registry } from "prom-client";
import type { Attempt } from "../../core/delivery/attempt.ts";
import type { DeliveryChange, DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { reasons } from "../../core/delivery/reasons.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { LogItem } from "../../core/log/log-item.ts";
import { changesIn } from "../../core/log/log-item.ts";
import { acknowledgedOnly, readsLikeError } from "../../core/proof/sufficiency.ts";
import type { MailStore } from "../../store/port.ts";
import type { Logger } from "../logging.ts";

const previewCharacters = 80;

type MessageSource = Pick<MailStore, "message">;

export function logDeliveries({ store, log }: { store: MessageSource; log: Logger }) {
  return (items: readonly LogItem[]): void => {
    for (const item of items) {
      if (item.type !== "delivery") continue;
      for (const { level, ...line } of deliveryLogLines(item)) log[level](line);
      if (item.event.type !== "admitted" || !log.isLevelEnabled("debug")) continue;
      logPreview(item.record, store, log).catch((error: unknown) =>
        log.error({ err: error }, "A message could not be read."),
      );
    }
  };
}

async function logPreview({ laneId, messageId }: DeliveryRecord, store: MessageSource, log: Logger): Promise<void> {
  const message = await store.message({ kind: "lane", lane: laneId }, messageId);
  if (message) log.debug({ inboxMessageId: messageId, preview: message.text.slice(0, previewCharacters) });
}

/** The name of each log event, with the message that people read. */
const messages = {
  prompt_delivery_ledger_created: "admitted",
  prompt_delivery_prompt_accepted: "accepted, which proves nothing yet",
  prompt_delivery_response_observed: "answered",
  prompt_delivery_unanswered: "the turn ended without an answer",
  prompt_delivery_retry_scheduled: "will be asked again",
  prompt_delivery_retry_attempted: "asked again",
  prompt_delivery_terminal_failure: "failed for good",
  prompt_delivery_inbox_committed_read: "read",
  prompt_delivery_cancelled: "cancelled",
} as const;

type DeliveryLogEvent = keyof typeof messages;

/** Null for events that are not logged. */
const logEvents: Record<DeliveryEvent["type"], DeliveryLogEvent | null> = {
  admitted: "prompt_delivery_ledger_created",
  rebuilt: "prompt_delivery_ledger_created",
  accepted: "prompt_delivery_prompt_accepted",
  submit: "prompt_delivery_retry_attempted",
  send_again: "prompt_delivery_retry_attempted",
  proven: "prompt_delivery_response_observed",
  unanswered: "prompt_delivery_unanswered",
  retry_scheduled: "prompt_delivery_retry_scheduled",
  failed_terminal: "prompt_delivery_terminal_failure",
  read_committed: "prompt_delivery_inbox_committed_read",
  cancelled: "prompt_delivery_cancelled",
  withdrawn: "prompt_delivery_cancelled",
  attempts_searched: null,
  acceptance_unknown: null,
  not_sent: null,
  reconciled: null,
  failed_retryable: null,
  rescheduled: null,
  turn_ended: null,
  read_commit_failed: null,
  retried_by_person: null,
  released: null,
  files_checked: null,
  submit_follow_up: null,
};

/** `msg` is for people; programs read `event`. */
export type DeliveryLogLine = { event: DeliveryLogEvent; level: "info" | "warn"; msg: string } & ReturnType<
  typeof logFields
>;

type DeliveryItem = Pick<Extract<LogItem, { type: "delivery" }>, "event" | "record">;

export function deliveryLogLines({ record, event }: DeliveryItem): DeliveryLogLine[] {
  return logEventsOf(event).map((name) => ({
    event: name,
    level: name === "prompt_delivery_terminal_failure" ? ("warn" as const) : ("info" as const),
    msg: messages[name],
    ...logFields(record, "reason" in event ? event.reason : record.lastReason),
  }));
}

function logEventsOf(event: DeliveryEvent): DeliveryLogEvent[] {
  const logEvent = logEvents[event.type];
  const isFirstSubmit = event.type === "submit" && event.attempt.number === 1;
  if (logEvent === null || isFirstSubmit) return [];
  const isRead = "readCommitted" in event && event.readCommitted;
  return isRead ? [logEvent, "prompt_delivery_inbox_committed_read"] : [logEvent];
}

/** Operators of earlier versions search for these names. */
function logFields(record: DeliveryRecord, reason: string | null) {
  return {
    teamName: record.team,
    memberName: record.member,
    laneId: record.laneId,
    runId: record.runId,
    inboxMessageId: record.messageId,
    runtimeSessionId: record.runtimeSessionId,
    status: record.status,
    responseState: record.responseState,
    attempts: record.attempts,
    nextAttemptAt: record.nextReconcileAt === null ? null : new Date(record.nextReconcileAt).toISOString(),
    visibleReplyCorrelation: record.proof?.visibleReply?.correlation ?? null,
    visibleReplySemanticallySufficient: isSemanticallySufficient(record),
    reason,
    deliveryId: record.id,
    payloadHash: record.payloadHash,
  };
}

/** Whether the agent's visible reply has any substance; null if there is no visible reply. */
function isSemanticallySufficient({ proof, diagnostics, lastReason }: DeliveryRecord): boolean | null {
  if (proof?.visibleReply) return !diagnostics.includes(acknowledgedOnly) && !diagnostics.includes(readsLikeError);
  const saidTooLittle = [reasons.acknowledgement, reasons.progress, reasons.notice].some((one) => one === lastReason);
  return proof === null && saidTooLittle ? false : null;
}

const buckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600];

/** Each is measured from the submission of the attempt. */
const attemptTimes = {
  storedAt: { name: "waybill_attempt_stored_seconds", help: "Until the agent program had stored the prompt." },
  firstTokenAt: { name: "waybill_attempt_first_token_seconds", help: "Until the first word, thought or tool call." },
  finishedAt: {
    name: "waybill_attempt_finished_seconds",
    help: "Until the turn ended, as the agent program reports it.",
  },
  provenAt: { name: "waybill_attempt_proven_seconds", help: "Until its result was accepted as proof." },
} as const satisfies Partial<Record<keyof Attempt, object>>;

export function deliveryMetrics(registry: Registry): (items: readonly LogItem[]) => void {
  const registers = [registry];
  const events = new Counter({
    name: "waybill_delivery_events_total",
    help: "Steps of deliveries, by kind.",
    labelNames: ["event"],
    registers,
  });
  const answered = new Histogram({
    name: "waybill_answer_seconds",
    help: "From the admission of a message to the proof that it was acted on.",
    buckets,
    registers,
  });
  const attemptHistograms = Object.entries(attemptTimes).map(([field, { name, help }]) => ({
    field: field as keyof typeof attemptTimes,
    histogram: new Histogram({
      name,
      help,
      labelNames: ["runtime"],
      // Most prompts are stored within milliseconds.
      buckets: [0.01, 0.05, 0.1, ...buckets],
      registers,
    }),
  }));
  const count = ({ events: newEvents, record, before }: DeliveryChange): void => {
    for (const { type, at } of newEvents) {
      events.inc({ event: type });
      if (type === "proven") answered.observe((at - record.createdAt) / 1000);
    }
    for (const attempt of record.attemptList) {
      const previous = before?.attemptList[attempt.number - 1];
      for (const { field, histogram } of attemptHistograms) {
        const at = attempt[field];
        // Each time counts once, in the change that sets it, even across a restart.
        if (at === null || (previous && previous[field] !== null)) continue;
        // The agent program's clock may be a little behind.
        histogram.observe({ runtime: record.runtimeKind ?? "unknown" }, Math.max(0, at - attempt.submittedAt) / 1000);
      }
    }
  };
  return (items) => changesIn(items).forEach(count);
}
