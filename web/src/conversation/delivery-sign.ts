/**
 * What a person sees of a delivery: a sign for each case, and a notice if there is more to say. Accepted is not
 * answered; nothing here claims more than the ledger knows. Pure.
 */
import type { Delivery, Message } from "waybill/client";
import type { IconName } from "../ui/icon.tsx";
import type { Tone } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";

export type SignKind =
  | "saved"
  | "queued"
  | "held"
  | "sending"
  | "checking"
  | "accepted"
  | "asks"
  | "acknowledged"
  | "asked_again"
  | "answered"
  | "done"
  | "noted"
  | "failed"
  | "cancelled"
  | "handed_over"
  | "taken"
  | "lost";

export type Sign = { kind: SignKind; tone: Tone; icon: IconName; words: string };

/** `until`: when the next step is due, for a countdown after the sentence. */
export type SignNotice = { tone: Tone; text: string; until: string | null; canRetry: boolean; canCancel: boolean };

const sign = (kind: SignKind, tone: Tone, icon: IconName, words: string): Sign => ({ kind, tone, icon, words });

export type SignInput = {
  delivery: Delivery;
  /** The agent only said that it would do it. */
  isAcknowledged: boolean;
};

export function signOf({ delivery, isAcknowledged }: SignInput): Sign {
  const { status, responseState, reason } = delivery;
  switch (status) {
    case "pending":
      if (delivery.heldReason) return sign("held", "wait", "hand", "Held until you decide");
      if (delivery.queuedBehindMessageId !== undefined)
        return sign("queued", "plain", "clock", "Waiting behind an earlier message");
      return sign("saved", "plain", "check", "Saved");
    case "submitting":
      return sign("sending", "busy", "send", "Sending");
    case "accepted":
      if (responseState === "permission_blocked" || responseState === "question_blocked")
        return sign("asks", "wait", "hand", "Waiting for you");
      if (isAcknowledged) return sign("acknowledged", "wait", "check", "Acknowledged, not answered");
      return sign(
        "accepted",
        "busy",
        "check",
        responseState === "pending" ? "The agent is working" : "Accepted, not answered yet",
      );
    case "unanswered":
      return sign("checking", "wait", "search", "Not answered; checking again");
    case "failed_retryable":
      if (delivery.acceptanceUnknown) return sign("checking", "wait", "search", "Checking whether it arrived");
      if (isUnsent(delivery)) return sign("saved", "wait", "clock", "Saved; could not be sent yet");
      return sign("checking", "wait", "search", "Checking what happened");
    case "retry_scheduled":
      return sign(
        isAcknowledged ? "acknowledged" : "asked_again",
        "wait",
        "retry",
        isAcknowledged ? "Acknowledged, asked to continue" : "Not answered; will ask again",
      );
    case "responded":
      return respondedSign(delivery);
    case "failed_terminal":
      return sign("failed", "bad", "cross", "Failed");
    case "cancelled":
      return sign("cancelled", "plain", "cross", cancelWords(reason));
    default:
      return status satisfies never;
  }
}

/** The agent program did not take it, and certainly does not have it. */
function isUnsent({ status, acceptanceUnknown, acceptedAt }: Delivery): boolean {
  return status === "failed_retryable" && !acceptanceUnknown && acceptedAt === null;
}

function respondedSign({ proof, responsePending }: Delivery): Sign {
  if (responsePending) return sign("done", "good", "checks", "Done; a summary follows");
  if (proof === "tool") return sign("done", "good", "checks", "Done, proven by its work");
  if (proof === "notified_turn") return sign("noted", "good", "checks", "Noted");
  return sign("answered", "good", "checks", "Answered");
}

function cancelWords(reason: string | undefined): string {
  if (reason === "withdrawn") return "Withdrawn before it was sent";
  if (reason === "expired") return "Expired before it was sent";
  return reason?.startsWith("stopped") ? "Stopped" : "Cancelled";
}

/** For a message to a member with an inbox file. */
export function handOverSign({ handOver }: Pick<Message, "handOver">): Sign | null {
  if (!handOver) return null;
  switch (handOver.state) {
    case "waiting":
      return sign("saved", "plain", "clock", "Saved; not in the inbox file yet");
    case "handed_over":
      return sign("handed_over", "busy", "check", "In the inbox file");
    case "taken":
      return sign("taken", "good", "checks", "Taken from the inbox file");
    case "gone":
      return sign("lost", "bad", "warning", "No longer in the inbox file: taken or lost");
    default:
      return handOver.state satisfies never;
  }
}

/** What the sign cannot say; null if the sign is enough. */
export function noticeOf({ delivery, isAcknowledged }: SignInput): SignNotice | null {
  const { status, attempts, nextReconcileAt, acceptanceUnknown } = delivery;
  // It may contain the words of a program.
  const why = exactText(delivery.why ?? "The reason is not known.");
  const notice = (tone: Tone, text: string, more: Partial<SignNotice> = {}): SignNotice => ({
    ...{ tone, text, until: null, canRetry: false, canCancel: false },
    ...more,
  });
  if (status === "failed_terminal") {
    const tried =
      attempts === 0
        ? "It was never sent"
        : `The agent did not respond after ${attempts === 1 ? "one attempt" : `${attempts} attempts`}`;
    const text = `${tried}. ${why} The message is still unread and will not be retried automatically.`;
    return notice("bad", text, { canRetry: true, canCancel: true });
  }
  if (delivery.heldReason && status === "pending") {
    // A retry sends a message that may have been sent before; the status page releases agents that write to each other in a loop.
    const canRetry = delivery.heldReason === "may_have_been_sent_before";
    const next = canRetry ? "Retry sends it." : "You can let them continue on the status page.";
    return notice("wait", `Held. ${why} ${next}`, { canRetry, canCancel: true });
  }
  // A message that was retried still has the reason of its failure, which is not why it waits.
  if (status === "pending") {
    return delivery.queuedBehindMessageId === undefined
      ? null
      : notice("plain", "Saved. It is sent when an earlier message has ended.");
  }
  if (status === "failed_retryable") {
    const text = acceptanceUnknown
      ? "Still checking. The message is saved, and the agent's transcript is read before anything is sent again."
      : isUnsent(delivery)
        ? `Could not be sent to the agent. ${why} The message is saved and will be sent as soon as possible.`
        : `This attempt failed. ${why} The message is saved, and the agent's transcript is read before it is asked again.`;
    return notice("wait", text, { until: nextReconcileAt });
  }
  if (status === "unanswered" || status === "retry_scheduled") {
    const seen = isAcknowledged ? "The agent only acknowledged the message." : why;
    const next =
      status === "unanswered"
        ? "Waybill checks once more before the agent is asked again"
        : isAcknowledged
          ? "It will be asked to continue"
          : "The agent will be asked again";
    return notice("wait", `${seen} ${next}`, { until: nextReconcileAt });
  }
  return null;
}

/** Whether an answer is still expected. Only a real answer or a final failure ends that. */
export function isAwaited(delivery: Pick<Delivery, "responsePending" | "status">): boolean {
  return delivery.responsePending && delivery.status !== "failed_terminal" && delivery.status !== "cancelled";
}
