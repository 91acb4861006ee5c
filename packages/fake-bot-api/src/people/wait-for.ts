/** Waits until a chat shows something. It is driven by events and does not poll. */
import type { ChatState } from "../state/chat.ts";
import type { World } from "../state/world.ts";
import { type ChatView, printView, viewOf } from "./chat-view.ts";

export type WaitOptions = { timeoutMs?: number };
type Falsy = undefined | null | false | 0 | "";

/** Only bounds a hang: a busy machine takes ten times as long as an idle one. */
const defaultTimeoutMs = 60_000;

/** Resolves with the predicate's first truthy result. */
export function waitForView<Found>(
  world: World,
  chat: ChatState,
  predicate: (view: ChatView) => Found | Falsy,
  { timeoutMs = defaultTimeoutMs }: WaitOptions = {},
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      world.events.off("change", look);
    };
    const look = () => {
      try {
        const found = predicate(viewOf(world, chat));
        if (!found) return;
        stop();
        resolve(found);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`Nothing matched within ${timeoutMs} ms. The chat shows:\n${printView(viewOf(world, chat))}`));
    }, timeoutMs);
    world.events.on("change", look);
    look();
  });
}
