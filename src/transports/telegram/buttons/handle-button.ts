/** Handles button presses. Each one is answered, so that the client stops waiting, unless the query is too old. */
import { AppError } from "../../../platform/app-error.ts";
import { askPressPrefix } from "../asks/ask-buttons.ts";
import { pressAsk } from "../asks/press-ask.ts";
import { switchWorkspace, useAction } from "../commands/sessions-command.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import type { Press, Pressed } from "../updates/press.ts";
import { overWords } from "../updates/press.ts";
import { pressDelivery } from "./press-delivery.ts";

const maxWords = 200;

export async function handleButton(press: Press, context: TelegramContext): Promise<Handled> {
  const pressed = await carryOut(press, context);
  answerPress(press, pressed, context);
  return pressed.writes ?? {};
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
      return pressWorkspace(rest.join(":"), press, context);
    case askPressPrefix:
      return pressAsk(press, context);
    default:
      return { words: overWords };
  }
}

async function pressWorkspace(lane: string, { place, from }: Press, context: TelegramContext): Promise<Pressed> {
  const topic = context.topics.of(place, context.clock.now());
  try {
    const { handled, words } = await switchWorkspace(topic, lane, from.name, context);
    return { words, writes: handled };
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { words: error.message, isAlert: true };
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
