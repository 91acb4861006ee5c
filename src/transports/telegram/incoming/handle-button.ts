/** Handles button presses. Each one is answered, so that the client stops waiting, unless the query is too old. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import { askPressPrefix } from "../asks/ask-buttons.ts";
import { pressAsk } from "../asks/press-ask.ts";
import { whyWords } from "../commands/why-command.ts";
import { switchWorkspace, useAction } from "../commands/workspace-commands.ts";
import { say } from "../outgoing/chat-row.ts";
import type { DeliveryAction } from "../outgoing/signs.ts";
import type { Handled, Press, Pressed, TelegramContext } from "../telegram-context.ts";
import { overWords } from "../telegram-context.ts";

/** The most that a Bot API alert shows. */
const maxWords = 200;

export async function handleButton(press: Press, context: TelegramContext): Promise<Handled> {
  const pressed = await carryOut(press, context).catch(refusedPress);
  answerPress(press, pressed, context);
  return pressed.writes ?? {};
}

/** The action is not possible, perhaps because something has just changed. */
function refusedPress(error: unknown): Pressed {
  if (!(error instanceof AppError) || error.retryable) throw error;
  return { words: error.message, isAlert: true };
}

/** For a person who may not use the bot. */
export function refusePress(press: Pick<Press, "callbackId">, context: Pick<TelegramContext, "api">): Handled {
  answerPress(press, { words: "You are not allowed to use this bot." }, context);
  return {};
}

async function carryOut(press: Press, context: TelegramContext): Promise<Pressed> {
  const [action = "", ...rest] = press.data.split(":");
  switch (action) {
    case "why":
    case "withdraw":
    case "stop":
    case "retry":
      return pressDelivery(action, rest.join(":"), press, context);
    case useAction:
      return switchWorkspace(rest.join(":"), press, context);
    case askPressPrefix:
      return pressAsk(press, context);
    default:
      return { words: overWords };
  }
}

/** Not awaited: the answer only tells the person that the press has arrived. */
function answerPress(
  { callbackId }: Pick<Press, "callbackId">,
  { words, isAlert = false }: Pressed,
  { api }: Pick<TelegramContext, "api">,
): void {
  const text = words.length <= maxWords ? words : `${words.slice(0, maxWords - 1)}…`;
  const answer = text === "" ? {} : { text, show_alert: isAlert };
  void api.answerCallbackQuery(callbackId, answer).catch(() => {});
}

/** `name` identifies the message within its chat. */
async function pressDelivery(
  action: DeliveryAction,
  name: string,
  press: Press,
  context: TelegramContext,
): Promise<Pressed> {
  const { service, bot } = context;
  const messageId = `telegram:${bot.id}:${press.place.chat}:${name}`;
  const [delivery] = (await service.deliveries({ messageId, limit: 1 })).items;
  if (!delivery) return { words: "Waybill no longer has this message.", isAlert: true };
  const { record } = delivery;
  switch (action) {
    case "why":
      return why(record, press, context);
    case "withdraw":
      return withdraw(record, context);
    case "stop":
      return stop(record, context);
    case "retry":
      return retry(record, context);
    default:
      return action satisfies never;
  }
}

async function why({ id }: DeliveryRecord, press: Press, { service }: TelegramContext): Promise<Pressed> {
  const detail = await service.delivery(id);
  const { record } = detail;
  const attempts = record.attempts === 1 ? "1 attempt" : `${record.attempts} attempts`;
  const words = `${whyWords(detail)} (${record.status.replaceAll("_", " ")}, ${attempts})`;
  if (words.length <= maxWords) return { words, isAlert: true };
  const row = say(press.place, `why:${press.update.id}`, words, { replyTo: press.messageId });
  return { words: "", writes: { outbox: [row] } };
}

async function withdraw(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status === "cancelled") return { words: overWords };
  if (record.status !== "pending") return { words: "It was already sent.", isAlert: true };
  await service.withdraw(record.messageId, record.laneId);
  return { words: "Withdrawn." };
}

/** Never stops a later message of the lane. */
async function stop(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status === "pending" || openStatuses.includes(record.status)) {
    await service.cancel(record.id);
    return { words: "Stopped." };
  }
  const { holder } = await service.lane(record.laneId);
  if (holder?.id !== record.id) return { words: overWords };
  // It was answered, but its turn is still running.
  await service.abort(record.laneId);
  return { words: "Stopped." };
}

async function retry(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status !== "failed_terminal") return { words: overWords };
  await service.retry(record.id);
  return { words: "Trying again." };
}
