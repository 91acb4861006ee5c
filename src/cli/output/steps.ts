/** What happens to a delivery, in the words that people read while they wait. Pure. */
import { oneLine, span } from "./words.ts";

export type Step = {
  /** The name of the event in the ledger. */
  event: string;
  reason: string | null;
  /** The number of the newest attempt. */
  attempt: number;
  /** How long until it is asked again. */
  waitMs: number | null;
  /** What the last look showed. */
  responseState: string | null;
};

/** Null for what is not worth a line. */
export function stepWords({ event, reason, attempt, waitMs, responseState }: Step): string | null {
  const because = reason === null ? "" : ` (${oneLine(reason)})`;
  switch (event) {
    case "submit":
      return attempt > 1 ? `asked again (attempt ${attempt})` : "sent";
    case "send_again":
      return "sent again, under the same ids";
    case "accepted":
      return "accepted, which proves nothing yet";
    case "acceptance_unknown":
      return `whether it arrived is not known${because}; the transcript is looked at before it is sent again`;
    case "not_sent":
      return `could not be sent${because}`;
    case "looked":
      return blockedWords(responseState);
    case "unanswered":
      return `the turn ended without an answer${because}`;
    case "failed_retryable":
      return `the turn failed${because}`;
    case "retry_scheduled":
      return waitMs === null ? "will be asked again" : `will be asked again in ${span(waitMs)}`;
    case "retried_by_person":
      return "retried by a person";
    default:
      return null;
  }
}

function blockedWords(responseState: string | null): string | null {
  if (responseState === "permission_blocked") return "the agent waits for a permission: see `waybill asks`";
  return responseState === "question_blocked" ? "the agent asks a question: see `waybill asks`" : null;
}

/** What one waits for after a step: "waiting …". */
export function waitingFor({ event, responseState }: Step): string {
  if (event === "retry_scheduled") return "until it is asked again";
  return blockedWords(responseState) === null ? "for the agent" : "for a person: see `waybill asks`";
}
