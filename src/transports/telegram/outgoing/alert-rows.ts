/** Shows an alert in the chats that it concerns. */
import type { Alert } from "../../../core/delivery/record.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import { duration } from "./amounts.ts";
import { say } from "./chat-row.ts";
import { concernedTopics, originOf } from "./origin.ts";
import { deliveryButtons } from "./signs.ts";

export async function alertRows(alert: Alert, context: TelegramContext): Promise<NewOutboxRow[]> {
  const { laneId, messageId } = alert;
  const origin = messageId === null ? null : await originOf(laneId, messageId, context);
  const options = origin && { replyTo: origin.message, buttons: deliveryButtons(origin.messageId, "why") };
  const told = origin && options ? [say(origin.topic, keyFor(alert, origin.topic), wordsOf(alert), options)] : [];
  const others = (await concernedTopics(laneId, context)).filter(({ key }) => key !== origin?.topic.key);
  return [...told, ...others.map((topic) => say(topic, keyFor(alert, topic), wordsElsewhere(alert, topic)))];
}

function keyFor({ id }: Alert, { key }: Topic): string {
  return `alert:${id}:${key}`;
}

/** A bound topic may hear of several lanes, so it names the lane. */
function wordsElsewhere(alert: Alert, { boundTo }: Topic): string {
  return boundTo === null ? wordsOf(alert) : `${wordsOf(alert)}\n\n_Lane ${alert.laneId}_`;
}

function wordsOf({ kind, since, raisedAt, reason }: Alert): string {
  const time = duration(raisedAt - since);
  switch (kind) {
    case "late":
      return `⏱ This is taking longer than usual (${time} so far). It may still be answered.`;
    case "ask":
      return `❓ The agent has been waiting for your answer for ${time}.`;
    case "failure":
      return `⚠️ A message failed ${time} ago and needs your attention (${reason}).`;
    case "loop":
      return "🔁 Two agents are writing to each other in a loop. Their messages are held until you let them continue.";
    case "held":
      return `✋ A message is held until you decide (${reason}).`;
    default:
      return kind satisfies never;
  }
}
