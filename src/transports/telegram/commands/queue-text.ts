/** The text of `/queue`, and which message `/withdraw` means. Pure. */

import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import { duration } from "../outgoing/duration.ts";
import { excerpt } from "../text/excerpt.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import { count } from "./status-text.ts";

export type Waiting = {
  deliveryId: string;
  messageId: string;
  from: string;
  text: string;
  createdAt: number;
  /** Whether it was written in this topic. */
  isOwn: boolean;
};

/** Oldest first, which is the order in which they are sent. `hidden`: how many more are waiting. */
export function queueText(waiting: readonly Waiting[], hidden: number, now: number): string {
  if (waiting.length === 0) return "Nothing is waiting.";
  const lines = waiting.map(({ from, text, createdAt, isOwn }, index) => {
    const sender = isOwn ? "" : `from ${from}, `;
    return `${index + 1}. ${excerpt(text)} (${sender}waiting for ${duration(now - createdAt)})`;
  });
  const more = hidden > 0 ? [`… and ${hidden} more.`] : [];
  const head = `${count(waiting.length + hidden, "message")} waiting:`;
  return [head, "", ...lines, ...more, "", "`/withdraw N` takes one back."].join("\n");
}

/** `number`: the command's own message number. Later messages are never withdrawn. */
export type WithdrawRequest = { args: string; replyTo: number | null; number: number; chat: number };

/** The replied-to message, the n-th, or the newest. Throws if none matches, or if it was written in another topic. */
export function withdrawTarget(waiting: readonly Waiting[], request: WithdrawRequest): Waiting {
  const { args, replyTo, number, chat } = request;
  const numberOf = ({ messageId }: Waiting) => {
    const named = chatMessageOf(messageId);
    return named?.chat === chat ? named.message : null;
  };
  if (args !== "") return nth(waiting, args);
  const own = waiting.filter(({ isOwn }) => isOwn);
  const target =
    replyTo === null
      ? own.findLast((one) => (numberOf(one) ?? 0) < number)
      : own.findLast((one) => numberOf(one) === replyTo);
  if (target) return target;
  throw replyTo === null
    ? refused("No message from this topic is waiting.", "/status shows what is running; /stop ends it.")
    : refused("That message is not waiting.", "It was already sent, or has ended. /stop ends the running turn.");
}

function nth(waiting: readonly Waiting[], args: string): Waiting {
  const found = /^\d{1,6}$/.test(args) ? waiting[Number(args) - 1] : undefined;
  if (!found)
    throw refused(`There is no waiting message "${args.slice(0, 20)}".`, "/queue lists the waiting messages.");
  if (!found.isOwn) throw refused("That message was not written in this topic.", "Withdraw it where it was written.");
  return found;
}

function refused(message: string, hint: string): AppError {
  return new AppError({ code: "not_possible", message, hint });
}

/** What an earlier try of the same command withdrew. `cancelled`: deliveries of the same lane. */
export function withdrawnSince(cancelled: readonly DeliveryRecord[], receivedAt: number): DeliveryRecord | null {
  const isMeant = ({ lastReason, cancelledAt }: DeliveryRecord) =>
    lastReason === "withdrawn" && cancelledAt !== null && cancelledAt >= receivedAt;
  return cancelled.find(isMeant) ?? null;
}
