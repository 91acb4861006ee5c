/** Whether every message in the demo's chat has an answer, as far as the chat shows. Pure. */
import type { ChatView, ShownMessage } from "@waybill/fake-bot-api";

export function allAnswered({ messages, drafts }: Pick<ChatView, "messages" | "drafts">): boolean {
  const own = messages.filter(({ isFromBot, text, file }) => !isFromBot && (text !== "" || file));
  const answered = new Set(messages.filter(isAnswer).map(({ replyTo }) => replyTo));
  return drafts.length === 0 && own.every(({ id, text }) => text.startsWith("/") || answered.has(id));
}

/** "Queued", progress and asks have buttons, which an answer does not. A failure has one to retry it. */
function isAnswer({ isFromBot, replyTo, keyboard }: ShownMessage): boolean {
  const buttons = keyboard.flat();
  const canRetry = buttons.some((button) => "callback_data" in button && button.callback_data.startsWith("retry:"));
  return isFromBot && replyTo !== undefined && (buttons.length === 0 || canRetry);
}
