/** The draft that a chat or a topic shows. It fades 30 seconds after its last change. */
import type { ChatState, Draft } from "./chat.ts";
import type { World } from "./world.ts";

const fadesAfterMs = 30_000;

export function setDraft(world: World, chat: ChatState, draft: Omit<Draft, "shownAt" | "cancelFading">): void {
  const key = draft.thread ?? 0;
  chat.drafts.get(key)?.cancelFading();
  const shownAt = world.clock.now();
  const cancelFading = world.clock.at(shownAt + fadesAfterMs, () => removeDraft(world, chat, draft.thread));
  chat.drafts.set(key, { ...draft, shownAt, cancelFading });
  world.events.emit("change");
}

export function removeDraft(world: World, chat: ChatState, thread: number | undefined): void {
  const key = thread ?? 0;
  chat.drafts.get(key)?.cancelFading();
  if (chat.drafts.delete(key)) world.events.emit("change");
}
