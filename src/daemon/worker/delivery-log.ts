/**
 * What the log says about deliveries: one line for each step that somebody may look for, always with the same fields.
 * A message's text is never among them.
 */
import type { DeliveryChange, DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";

const words = {
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

export type DeliveryLogEvent = keyof typeof words;

/** `msg` is for people who watch; programs go by `event`. */
export type DeliveryLogLine = {
  event: DeliveryLogEvent;
  level: "info" | "warn";
  msg: string;
} & ReturnType<typeof fieldsOf>;

export function logLines({ record, events }: DeliveryChange): DeliveryLogLine[] {
  return events.flatMap((event) =>
    namesFor(event).map((name) => ({
      event: name,
      level: name === "prompt_delivery_terminal_failure" ? ("warn" as const) : ("info" as const),
      msg: words[name],
      ...fieldsOf(record, "reason" in event ? event.reason : record.lastReason),
    })),
  );
}

function namesFor(event: DeliveryEvent): DeliveryLogEvent[] {
  switch (event.type) {
    case "admitted":
    case "rebuilt":
      return ["prompt_delivery_ledger_created"];
    case "accepted":
      return ["prompt_delivery_prompt_accepted"];
    case "submit":
      return event.attempt.number > 1 ? ["prompt_delivery_retry_attempted"] : [];
    case "send_again":
      return ["prompt_delivery_retry_attempted"];
    case "proven":
      return event.readCommitted
        ? ["prompt_delivery_response_observed", "prompt_delivery_inbox_committed_read"]
        : ["prompt_delivery_response_observed"];
    case "unanswered":
      return ["prompt_delivery_unanswered"];
    case "retry_scheduled":
      return ["prompt_delivery_retry_scheduled"];
    case "failed_terminal":
      return ["prompt_delivery_terminal_failure"];
    case "read_committed":
      return ["prompt_delivery_inbox_committed_read"];
    case "cancelled":
    case "withdrawn":
      return event.readCommitted
        ? ["prompt_delivery_cancelled", "prompt_delivery_inbox_committed_read"]
        : ["prompt_delivery_cancelled"];
    case "attempts_searched":
    case "acceptance_unknown":
    case "not_sent":
    case "looked":
    case "failed_retryable":
    case "turn_ended":
    case "read_commit_failed":
    case "retried_by_person":
    case "files_looked_for":
    case "asked_further":
      return [];
    default:
      return event satisfies never;
  }
}

/** The names are those that operators of earlier ledgers search for. */
function fieldsOf(record: DeliveryRecord, reason: string | null) {
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
    nextAttemptAt: record.nextLookAt === null ? null : new Date(record.nextLookAt).toISOString(),
    visibleReplyCorrelation: record.proof?.visibleReply?.correlation ?? null,
    visibleReplySemanticallySufficient: record.proof === null ? null : record.proof.visibleReply !== null,
    reason,
    deliveryId: record.id,
    payloadHash: record.payloadHash,
  };
}
