/** Message ids for chat messages. They are derived, so a repeated update is recognised. Pure. */

/**
 * An edited text is another message, because the body of an id never changes. `edit` counts them: the time of an edit
 * has seconds, and people edit twice in one.
 */
export function messageIdOf(bot: number, chat: number, message: number, edit = 0): string {
  const id = `telegram:${bot}:${chat}:${message}`;
  return edit === 0 ? id : `${id}:edit-${edit}`;
}

/** The chat message that an id names; null for ids from elsewhere. */
export function chatMessageOf(messageId: string): { chat: number; message: number } | null {
  const [, chat, message] = /^telegram:\d+:(-?\d+):(\d+)(?::edit-\d+)?$/.exec(messageId) ?? [];
  return chat === undefined || message === undefined ? null : { chat: Number(chat), message: Number(message) };
}
