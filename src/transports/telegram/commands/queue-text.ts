/** What waits in a lane, as people read it, and which of it they mean. Pure. */
import { AppError } from "../../../app-error.ts";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { duration } from "../outgoing/duration.ts";
import { plainSummary } from "../text/plain-summary.ts";
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

const excerptLength = 80;

export function excerpt(text: string): string {
  return plainSummary(text, excerptLength);
}

/** Oldest first, which is the order in which they are sent. `hidden`: how many more there are. */
export function queueText(waiting: readonly Waiting[], hidden: number, now: number): string {
  if (waiting.length === 0) return "Nothing waits.";
  const lines = waiting.map(({ from, text, createdAt, isOwn }, index) => {
    const sender = isOwn ? "" : ` (from ${from})`;
    return `${index + 1}. ${excerpt(text)}${sender}, for ${duration(now - createdAt)}`;
  });
  const more = hidden > 0 ? [`… and ${hidden} more.`] : [];
  const head = `${count(waiting.length + hidden, "message")} waiting:`;
  return [head, "", ...lines, ...more, "", "`/withdraw N` takes one back."].join("\n");
}

/** `number`: of the command itself; what was written after it is not meant. */
export type WithdrawRequest = { args: string; replyTo: number | null; number: number; chat: number };

/** The one that is replied to, the n-th, or the newest. Throws when there is none, or it is somebody else's. */
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
    ? refused("Nothing of this topic waits.", "/status shows what runs. /stop ends it.")
    : refused("That message does not wait.", "It was sent already, or has ended. /stop ends what runs.");
}

function nth(waiting: readonly Waiting[], args: string): Waiting {
  const found = /^\d{1,6}$/.test(args) ? waiting[Number(args) - 1] : undefined;
  if (!found)
    throw refused(`No message number "${args.slice(0, 20)}" waits.`, "/queue lists what waits, with numbers.");
  if (!found.isOwn) throw refused("That message was not written in this topic.", "Withdraw it where it was written.");
  return found;
}

function refused(message: string, hint: string): AppError {
  return new AppError({ code: "not_possible", message, hint });
}

/** For a request that is handled again: what it has withdrawn before. `cancelled`: of the same lane. */
export function withdrawnSince(cancelled: readonly DeliveryRecord[], receivedAt: number): DeliveryRecord | null {
  const isMeant = ({ lastReason, cancelledAt }: DeliveryRecord) =>
    lastReason === "withdrawn" && cancelledAt !== null && cancelledAt >= receivedAt;
  return cancelled.find(isMeant) ?? null;
}
