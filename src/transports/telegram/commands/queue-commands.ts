/** Waiting messages: `/queue` lists them, `/withdraw` takes one back. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { notPossible } from "../../../platform/app-error.ts";
import { count, duration } from "../outgoing/amounts.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { excerpt } from "../text/excerpt.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer, laneOfCall } from "./command.ts";

/** How many are read. `/queue` shows fewer, and people withdraw by the numbers they see. */
const maxWaiting = 200;
const maxShown = 20;

export const queue: Command = {
  name: "queue",
  description: "List the waiting messages",
  async run(call, context) {
    const { lane } = await laneOfCall(call, context);
    const waiting = await waitingIn(lane.id, call, context);
    const shown = waiting.slice(0, maxShown);
    return answer(call, queueText(shown, waiting.length - shown.length, context.clock.now()));
  },
};

export const withdraw: Command = {
  name: "withdraw",
  description: "Withdraw the newest waiting message, number N, or the one you reply to",
  async run(call, context) {
    const { service } = context;
    const { lane } = await laneOfCall(call, context);
    const { message, update } = call;
    if (update.isAgain) {
      const { items } = await service.deliveries({ lane: lane.id, statuses: ["cancelled"], limit: 20 });
      const before = withdrawnSince(
        items.map(({ record }) => record),
        update.receivedAt,
      );
      if (before) return answer(call, withdrawnText((await service.message(lane.id, before.messageId))?.text ?? ""));
    }
    const target = withdrawTarget(await waitingIn(lane.id, call, context), {
      args: call.args,
      replyTo: message.repliesTo?.messageId ?? null,
      number: message.messageId,
      chat: message.place.chat,
    });
    await service.withdraw(target.messageId, lane.id);
    return answer(call, withdrawnText(target.text));
  },
};

function withdrawnText(text: string): string {
  return `Withdrawn: ${excerpt(text)}`;
}

/** Oldest first. */
async function waitingIn(lane: string, { topic }: CommandCall, { service }: TelegramContext): Promise<Waiting[]> {
  const { items } = await service.deliveries({ lane, statuses: ["pending"], limit: maxWaiting });
  const waiting = items.toReversed().map(async ({ record: { id, messageId, createdAt } }): Promise<Waiting> => {
    const message = await service.message(lane, messageId);
    const { from = "", text = "", conversation = null } = message ?? {};
    return { deliveryId: id, messageId, from, text, createdAt, isOwn: conversation === topic.key };
  });
  return Promise.all(waiting);
}

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
type WithdrawRequest = { args: string; replyTo: number | null; number: number; chat: number };

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
    ? notPossible("No message from this topic is waiting.", "/status shows what is running; /stop ends it.")
    : notPossible("That message is not waiting.", "It was already sent, or has ended. /stop ends the running turn.");
}

function nth(waiting: readonly Waiting[], args: string): Waiting {
  const found = /^\d{1,6}$/.test(args) ? waiting[Number(args) - 1] : undefined;
  if (!found)
    throw notPossible(`There is no waiting message "${args.slice(0, 20)}".`, "/queue lists the waiting messages.");
  if (!found.isOwn)
    throw notPossible("That message was not written in this topic.", "Withdraw it where it was written.");
  return found;
}

/** What an earlier try of the same command withdrew. `cancelled`: deliveries of the same lane. */
export function withdrawnSince(cancelled: readonly DeliveryRecord[], receivedAt: number): DeliveryRecord | null {
  const isMeant = ({ lastReason, cancelledAt }: DeliveryRecord) =>
    lastReason === "withdrawn" && cancelledAt !== null && cancelledAt >= receivedAt;
  return cancelled.find(isMeant) ?? null;
}
