/** Message ids for chat messages. They are derived, so a repeated update is recognised. Pure. */

export function messageIdOf(bot: number, chat: number, message: number): string {
  return `telegram:${bot}:${chat}:${message}`;
}

/** An edited text is another message, because the body of an id never changes. */
export function editedMessageId(bot: number, chat: number, message: number, editedAt: number): string {
  return `${messageIdOf(bot, chat, message)}:edit-${editedAt}`;
}

/** The chat message that an id names; null for ids from elsewhere. */
export function chatMessageOf(messageId: string): { chat: number; message: number } | null {
  const [, chat, message] = /^telegram:\d+:(-?\d+):(\d+)(?::edit-\d+)?$/.exec(messageId) ?? [];
  return chat === undefined || message === undefined ? null : { chat: Number(chat), message: Number(message) };
}
