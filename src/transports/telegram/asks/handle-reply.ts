/** Uses a requested reply as the reason or the answer of an ask, instead of sending it to the agent as a message. */

import { messageOf } from "../outgoing/chat-row.ts";
import { row, say } from "../outgoing/say.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import type { StoredUpdate } from "../updates/update-queue.ts";
import type { AwaitedReply } from "./chat-asks.ts";
import type { Decided } from "./decide.ts";
import { answerQuestion, decidePermission } from "./decide.ts";

/** Null for any other message. */
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
      return joined(decided.writes, { outbox: [seen], state: used(key, reply, context) });
    }
    case "over": {
      const told = tell("This is no longer open. Your reply was not passed on.");
      return joined(decided.writes, { ...told, state: used(key, reply, context) });
    }
    case "busy":
      return tell("Someone is deciding this right now. Your reply was not passed on.");
    case "failed":
      return joined(decided.writes, tell(`⚠️ ${decided.words}\n\nReply again to retry.`));
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

function joined(one: Handled, other: Handled): Handled {
  return {
    outbox: [...(one.outbox ?? []), ...(other.outbox ?? [])],
    state: [...(one.state ?? []), ...(other.state ?? [])],
  };
}
