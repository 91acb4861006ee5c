/** The ids of messages from chats: the same update is the same message, however often it comes. Pure. */

export function messageIdOf(bot: number, chat: number, message: number): string {
  return `telegram:${bot}:${chat}:${message}`;
}

/** An edited text is another message: ids never change their body. */
export function editedMessageId(bot: number, chat: number, message: number, editedAt: number): string {
  return `${messageIdOf(bot, chat, message)}:edit-${editedAt}`;
}

/** The message of the chat that an id names; null for ids from elsewhere. */
export function chatMessageOf(messageId: string): { chat: number; message: number } | null {
  const [, chat, message] = /^telegram:\d+:(-?\d+):(\d+)(?::edit-\d+)?$/.exec(messageId) ?? [];
  return chat === undefined || message === undefined ? null : { chat: Number(chat), message: Number(message) };
}
