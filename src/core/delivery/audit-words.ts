/**
 * The audit of a delivery for people, event by event: the attempt concerned, the observation, and one sentence that
 * says why it is or is not enough. Pure.
 */
import type { DeliveryEvent, EventOf, NewAttempt, ObservedFacts } from "./delivery-event.ts";
import { reasonClause } from "./reasons.ts";
import type { Proof, ResponseState } from "./record.ts";

export type AuditRow = {
  event: DeliveryEvent;
  /** The newest attempt at that time, or the one that the event names; null before the first. */
  attempt: number | null;
  observed: ObservedFacts | null;
  /** When the next reconcile was due at that time. */
  next: number | null;
  why: string;
};

export function auditRows(history: readonly DeliveryEvent[]): AuditRow[] {
  let newest: number | null = null;
  return history.map((event) => {
    newest = begunBy(event) ?? newest;
    return {
      event,
      attempt: event.type === "proven" ? (event.attempt ?? newest) : newest,
      observed: ("observed" in event ? event.observed : null) ?? null,
      next: "reconcileAt" in event ? event.reconcileAt : null,
      why: eventWords(event),
    };
  });
}

/** The number of the attempt that the event starts or sends again. */
function begunBy(event: DeliveryEvent): number | null {
  switch (event.type) {
    case "submit":
    case "submit_follow_up":
      return event.attempt.number;
    case "send_again":
    case "accepted":
      return event.number;
    case "attempts_searched":
      return event.found.at(-1)?.number ?? null;
    case "rebuilt":
    case "admitted":
      return event.record.attemptList.at(-1)?.number ?? null;
    default:
      return null;
  }
}

export function eventWords(event: DeliveryEvent): string {
  switch (event.type) {
    case "admitted":
      return "The message is stored, and waits for its turn.";
    case "rebuilt":
      return "Its record was lost and has been rebuilt; the message may have been sent before.";
    case "attempts_searched":
      return searched(event);
    case "submit":
      return submitted(event.attempt);
    case "submit_follow_up":
      return event.attempt.kind === "summary"
        ? "The agent is asked for a short summary of what it did."
        : "The agent is asked about missing files that its answer names.";
    case "send_again":
      return `Nothing shows that attempt ${event.number} ran, so it is sent again under the same ids.`;
    case "accepted":
      return "The agent's program accepted the prompt, which proves nothing yet.";
    case "acceptance_unknown":
      return `It is unknown whether the prompt arrived${because(event.reason)}; the transcript is read before anything is sent again.`;
    case "not_sent":
      return `The prompt was not sent${because(event.reason)}.`;
    case "reconciled":
      return reconciled(event);
    case "proven":
      return proofWords[event.proof.by];
    case "unanswered":
      return sentence(event.reason, "so the message is still unanswered");
    case "failed_retryable":
      return sentence(event.reason, "so this attempt failed");
    case "failed_terminal":
      return sentence(event.reason, "so it failed for good, and stays unread");
    case "retry_scheduled":
      return scheduled(event);
    case "rescheduled":
      return "A wrong clock had set its times too far ahead; they were corrected.";
    case "turn_ended":
      return "The agent's turn is over, and the lane is free for the next message.";
    case "read_committed":
      return "The message is marked as read.";
    case "read_commit_failed":
      return `The message could not be marked as read${because(event.error)}.`;
    case "cancelled":
      return sentence(event.reason, "so it ends without an answer");
    case "withdrawn":
      return `${reasonClause(event.reason)} before anything was sent.`;
    case "released":
      return "A person released it.";
    case "retried_by_person":
      return "A person retried it; its earlier attempts are checked first.";
    case "files_checked":
      return event.missing.length === 0
        ? "The files that the answer names exist."
        : `The answer names missing files: ${event.missing.join(", ")}.`;
    default:
      return event satisfies never;
  }
}

/** Proof, in words. */
export const proofWords: Readonly<Record<Proof["by"], string>> = {
  destination_reply: "The agent's reply arrived, and names the message.",
  visible_reply: "The agent sent a reply to the message by tool.",
  tool: "Tools that change something succeeded, which is what the message asked for.",
  plain_text: "The turn ended with an answer in plain text.",
  notified_turn: "The turn that received the message ended without errors, and no answer was requested.",
};

/** The observed state of the transcript, in words. */
const seen: Readonly<Record<ResponseState, string>> = {
  not_observed: "The prompt is not in the agent's transcript yet.",
  pending: "The agent is working on it.",
  prompt_not_indexed: "The agent is working, and the prompt is not in its transcript yet.",
  prompt_delivered_no_assistant_message: "The agent has the prompt but has not started to work on it.",
  responded_tool_call: "The agent used tools, which does not answer the message.",
  responded_visible_message: "The agent sent a message by tool.",
  responded_non_visible_tool: "The agent used tools.",
  responded_plain_text: "The agent said something.",
  permission_blocked: "The agent is waiting for a permission, and nothing is sent until it gets it.",
  question_blocked: "The agent is waiting for an answer to its question, and nothing is sent until it gets it.",
  interrupted: "The turn was cut off.",
  tool_error: "A tool failed.",
  empty_assistant_turn: "The agent said nothing.",
  session_stale: "The agent's session is no longer usable.",
  session_error: "The turn ended with an error.",
  reconcile_failed: "The agent's transcript could not be read, so nothing is known.",
};

function searched({ found, unreadable }: EventOf<"attempts_searched">): string {
  if (unreadable) return "The agent's sessions cannot be searched for it, so it is held until a person decides.";
  if (found.length === 0) return "The agent's sessions have no prompt for it, so it was never sent.";
  return found.length === 1
    ? "A prompt for it was found in the agent's sessions."
    : `${found.length} prompts for it were found in the agent's sessions.`;
}

function submitted({ number, kind, because: missing }: NewAttempt): string {
  if (kind === "prompt") return `Attempt ${number} is recorded, then sent.`;
  const clause = missing === null ? null : reasonClause(missing);
  return `The agent is asked again${clause === null ? "" : `: ${lowerFirst(clause)}`}.`;
}

function reconciled({ observed, reason, found, missed }: EventOf<"reconciled">): string {
  if (observed === null) return found ? "The agent's program has the prompt." : "Nothing new is known.";
  if (missed && observed.state === "not_observed") return "The agent is idle, and the prompt is not in its transcript.";
  const clause = reason === "tool_runs_long" ? reasonClause(reason) : null;
  return clause === null ? seen[observed.state] : `${clause}.`;
}

function scheduled({ next: { kind, freshSession } }: EventOf<"retry_scheduled">): string {
  const where = freshSession ? " in a fresh session" : "";
  return kind === "retry" || kind === "prompt"
    ? `The agent will be asked again${where}, after one more check of its transcript.`
    : "The agent will get a follow-up.";
}

function sentence(reason: string, consequence: string): string {
  const clause = reasonClause(reason);
  return clause === null ? `${upperFirst(withoutSo(consequence))} (${reason}).` : `${clause}, ${consequence}.`;
}

function because(reason: string): string {
  const clause = reasonClause(reason);
  return clause === null ? ` (${reason})` : `: ${lowerFirst(clause)}`;
}

function withoutSo(consequence: string): string {
  return consequence.replace(/^so /, "");
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** For text in the middle of a sentence; names and codes keep their case. */
export function lowerFirst(text: string): string {
  return /^(?:The|A|An|It|Its|Somebody|Automatic|What)\b/.test(text)
    ? text.slice(0, 1).toLowerCase() + text.slice(1)
    : text;
}
