/** Asks a person to type a reply for an ask: the reason for a rejection, or an answer that is not among the options. */

import { say } from "../outgoing/say.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import type { Person, Place } from "../updates/read-update.ts";
import type { StoredUpdate } from "../updates/update-queue.ts";
import type { ChatAsk } from "./chat-ask.ts";

export function awaitReply(
  ask: ChatAsk,
  question: number | null,
  { place, from, update }: { place: Place; from: Person; update: StoredUpdate },
  { asks }: Pick<TelegramContext, "asks">,
): Handled {
  const key = `ask-reply:${update.id}`;
  const what = question === null ? "the reason. The agent will read it and continue" : "your answer";
  // In a group, clients open the reply field only for people that the message mentions.
  const whom = place.isPrivate || from.name === `telegram-${from.id}` ? "" : `@${from.name} `;
  const words = `✍️ ${whom}Reply to this message with ${what}.`;
  return {
    outbox: [say(place, key, words, { forceReply: true })],
    state: asks.keepReply(key, { chat: place.chat, ask: ask.name, question, isUsed: false }),
  };
}
