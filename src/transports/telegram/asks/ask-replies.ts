/**
 * Replies that an ask needs: the reason for a rejection, or an answer that is not among the options. A person is asked
 * to reply, and the reply is passed on as the reason or the answer, instead of as a message to the agent.
 */
import { messageOf, row, say } from "../outgoing/chat-row.ts";
import type { Handled, StoredUpdate, TelegramContext } from "../telegram-context.ts";
import { both } from "../telegram-context.ts";
import type { IncomingMessage, Person, Place } from "../updates/read-update.ts";
import type { AwaitedReply, ChatAsk } from "./chat-asks.ts";
import type { Decided } from "./decide.ts";
import { answerQuestion, decidePermission } from "./decide.ts";

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

/** Null for a message that no ask waits for. */
export async function handleReply(
  message: IncomingMessage,
  update: StoredUpdate,
  context: TelegramContext,
): Promise<Handled | null> {
  const found = message.repliesTo ? await awaitedBy(message.place.chat, message.repliesTo.messageId, context) : null;
  if (!found) return null;
  const { key, reply } = found;
  const tell = (words: string): Handled => {
    return { outbox: [say(message.place, `replied:${update.id}`, words, { replyTo: message.messageId })] };
  };
  // The reply itself came before its edit, and has been used.
  if (message.editedAt !== null) return {};
  if (reply.isUsed) return tell("This was already answered. Your reply was not passed on.");
  const text = message.text.trim();
  if (text === "") return tell("Please reply with text.");
  const decided = await decideBy(reply, text, message.from.name, context);
  switch (decided.outcome) {
    case "taken": {
      const seen = row(message.place, `replied:${update.id}`, {
        kind: "react",
        message: message.messageId,
        emoji: "👍",
      });
      return both(decided.writes, { outbox: [seen], state: used(key, reply, context) });
    }
    case "over": {
      const told = tell("This is no longer open. Your reply was not passed on.");
      return both(decided.writes, { ...told, state: used(key, reply, context) });
    }
    case "busy":
      return tell("Someone is deciding this right now. Your reply was not passed on.");
    case "failed":
      return both(decided.writes, tell(`⚠️ ${decided.words}\n\nReply again to retry.`));
    default:
      return decided satisfies never;
  }
}

async function awaitedBy(
  chat: number,
  messageId: number,
  { asks, box }: TelegramContext,
): Promise<{ key: string; reply: AwaitedReply } | null> {
  for (const [key, reply] of asks.repliesIn(chat)) {
    const asking = await box.row(key);
    // The store has removed the row because of its age.
    if (!asking) await box.write({ state: asks.forgetReply(key) });
    else if (messageOf(asking.refs) === messageId) return { key, reply };
  }
  return null;
}

async function decideBy(reply: AwaitedReply, text: string, by: string, context: TelegramContext): Promise<Decided> {
  const ask = context.asks.find(reply.ask);
  if (!ask) return { outcome: "over", writes: {} };
  if (reply.question === null) return decidePermission(ask, { decision: "reject", by, reason: text }, context);
  return answerQuestion(ask, reply.question, [text], by, context);
}

function used(key: string, reply: AwaitedReply, { asks }: TelegramContext) {
  return asks.keepReply(key, { ...reply, isUsed: true });
}
