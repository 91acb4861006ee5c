/** Waiting messages: `/queue` lists them, `/withdraw` takes one back. */
import type { TelegramContext } from "../telegram-context.ts";
import { excerpt } from "../text/excerpt.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer } from "./command.ts";
import type { Waiting } from "./queue-text.ts";
import { queueText, withdrawnSince, withdrawTarget } from "./queue-text.ts";
import { laneOfCall } from "./topic-lane.ts";

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
