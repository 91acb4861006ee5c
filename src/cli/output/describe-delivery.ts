/** Describes what happens to a delivery for people who wait for it. Pure. */
import type { DeliveryDetail, DeliveryStreamEvent, Message } from "../../client/index.ts";
import { formatDuration, inParentheses, oneLine, pluralized } from "./format.ts";
import type { Paint } from "./terminal.ts";

export const statusStyle = {
  responded: "green",
  failed_terminal: "red",
  failed_retryable: "yellow",
  unanswered: "yellow",
  retry_scheduled: "yellow",
  cancelled: "dim",
  pending: "cyan",
  submitting: "cyan",
  accepted: "cyan",
} as const;

export type DeliveryStep = Pick<DeliveryStreamEvent, "event" | "reason" | "at"> & {
  delivery: Pick<
    DeliveryStreamEvent["delivery"],
    "status" | "attempts" | "repairs" | "nextReconcileAt" | "responseState"
  > & { missingFiles?: readonly string[] };
};

/** Null for events that are not worth a line. */
export function describeStep({ event, reason, at, delivery }: DeliveryStep): string | null {
  const because = inParentheses(reason);
  switch (event) {
    case "submit": {
      const attempt = delivery.attempts + delivery.repairs;
      return attempt > 1 ? `asked again (attempt ${attempt})` : "sent";
    }
    case "send_again":
      return "sent again with the same ids";
    case "accepted":
      return "accepted, which proves nothing yet";
    case "acceptance_unknown":
      return `it may or may not have arrived${because}; the transcript is read before it is sent again`;
    case "not_sent":
      return `could not be sent${because}`;
    case "reconciled":
      return describeBlocked(delivery.responseState);
    case "unanswered":
      return `the turn ended without an answer${because}`;
    case "failed_retryable":
      return `the turn failed${because}`;
    case "retry_scheduled": {
      // A late event comes with a newer state of the delivery, whose time means something else.
      if (delivery.status !== "retry_scheduled" || delivery.nextReconcileAt === null) return "will be asked again";
      return `will be asked again in ${formatDuration(Date.parse(delivery.nextReconcileAt) - Date.parse(at))}`;
    }
    case "files_checked": {
      const missing = delivery.missingFiles ?? [];
      return missing.length === 0
        ? null
        : `named in the answer but not found on disk: ${missing.map(oneLine).join(", ")}`;
    }
    case "retried_by_person":
      return "retried by a person";
    default:
      return null;
  }
}

function describeBlocked(responseState: string): string | null {
  if (responseState === "permission_blocked") return "the agent is waiting for permission: see `waybill asks`";
  return responseState === "question_blocked" ? "the agent is asking a question: see `waybill asks`" : null;
}

/** What the delivery waits for after a step; follows the word "waiting". */
export function describeWait({ event, delivery }: DeliveryStep): string {
  if (event === "retry_scheduled") return "until it is asked again";
  return describeBlocked(delivery.responseState) === null ? "for the agent" : "for a person: see `waybill asks`";
}

export function describeOutcome({ status, attempts, repairs, reason }: DeliveryDetail, paint: Paint): string {
  const because = status === "responded" ? "" : inParentheses(reason);
  return `${paint(statusStyle[status], status)} after ${pluralized(attempts + repairs, "attempt")}${because}`;
}

const notes: Record<NonNullable<Message["outcome"]>, string | null> = {
  answer: null,
  done: null,
  question: "a question; the agent is waiting for the sender",
  blocked: "the agent is blocked and is waiting for the sender",
  progress: "progress; more will follow",
  acknowledgement: "only an acknowledgement; the agent is asked to continue",
  provider_error: "looks like an error from the model provider; the agent is asked again",
};

/** Appended to a text; may be empty. */
export function outcomeNote({ outcome }: Pick<Message, "outcome">): string {
  return inParentheses(outcome === null ? null : notes[outcome]);
}

/** Whether it came on the way to the answer, and is not the answer itself. */
export function isInterim({ outcome }: Pick<Message, "outcome">): boolean {
  return outcome === "acknowledgement" || outcome === "progress" || outcome === "provider_error";
}

/** A line below a text for each attached file. */
export function attachmentLines({ attachments }: Pick<Message, "attachments">): string[] {
  return attachments.map(({ name, mimeType, size }) => `[${oneLine(name)}, ${oneLine(mimeType)}, ${size} bytes]`);
}

/** A line below the answer, or none. */
export function missingFilesLines({ missingFiles }: Pick<DeliveryDetail, "missingFiles">): string[] {
  return missingFiles.length === 0 ? [] : [`Named here but not found on disk: ${missingFiles.map(oneLine).join(", ")}`];
}
