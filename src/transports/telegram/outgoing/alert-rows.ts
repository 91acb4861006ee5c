/** What waits for longer than it should, told to the chat that it concerns. */
import type { Alert } from "../../../core/delivery/alert.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { duration } from "./duration.ts";
import { originOf } from "./origin.ts";
import { say } from "./say.ts";
import { waitingButtons } from "./signs.ts";

export async function alertRows(alert: Alert, context: TelegramContext): Promise<NewOutboxRow[]> {
  const { laneId, messageId } = alert;
  const origin = messageId === null ? null : await originOf(laneId, messageId, context);
  const topic = origin?.topic ?? context.topics.ofLane(laneId);
  if (!topic) return [];
  const options = origin && messageId !== null ? { replyTo: origin.message, buttons: whyButton(messageId) } : {};
  return [say(topic, `alert:${alert.id}`, wordsOf(alert), options)];
}

function wordsOf({ kind, since, raisedAt, reason }: Alert): string {
  const time = duration(raisedAt - since);
  switch (kind) {
    case "late":
      return `⏱ This takes longer than usual (${time} so far). It may still be answered.`;
    case "ask":
      return `❓ The agent has waited for your answer for ${time}.`;
    case "failure":
      return `⚠️ A message failed ${time} ago and waits for you (${reason}).`;
    case "loop":
      return "🔁 Two agents write to each other in circles. Their messages are held until you let them go on.";
    case "held":
      return `✋ A message is held until you decide (${reason}).`;
    default:
      return kind satisfies never;
  }
}

function whyButton(messageId: string) {
  const [[why] = []] = waitingButtons(messageId);
  return why ? [[why]] : [];
}
