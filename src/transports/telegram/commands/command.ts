/** A chat command, and a call of it. */

import type { Keyboard } from "../outgoing/chat-row.ts";
import { say } from "../outgoing/say.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import type { StoredUpdate } from "../updates/update-queue.ts";

export type CommandCall = { message: IncomingMessage; update: StoredUpdate; topic: Topic; args: string };

export type Command = {
  name: string;
  /** For the menu; null for aliases that the menu lists under another name. */
  description: string | null;
  adminOnly?: boolean;
  /** It changes where later messages go, so it is handled in order with them. Other commands do not wait. */
  changesTopic?: boolean;
  run(call: CommandCall, context: TelegramContext): Promise<Handled>;
};

/** Answers a command in its topic. An update is answered once, even if it is handled again. */
export function answer({ message, update }: CommandCall, markdown: string, buttons?: Keyboard): Handled {
  const options = { replyTo: message.messageId, ...(buttons ? { buttons } : {}) };
  return { outbox: [say(message.place, `command:${update.id}`, markdown, options)] };
}

/** Both, in one commit. */
export function both(one: Handled, other: Handled): Handled {
  const after = one.after ?? other.after;
  return {
    outbox: [...(one.outbox ?? []), ...(other.outbox ?? [])],
    state: [...(one.state ?? []), ...(other.state ?? [])],
    ...(after ? { after } : {}),
  };
}
