/** Kept messages overlaid with their live state. Pure. */
import type { SessionMessage } from "../../projection/native-event.ts";
import { byTime } from "../../projection/native-event.ts";

/**
 * In order. If a message is in both, the live one is newer; but a reader that began in the middle of it lacks some of
 * its parts, and one that lags behind lacks its end.
 */
export function overlayLive(kept: readonly SessionMessage[], live: readonly SessionMessage[]): SessionMessage[] {
  const messages = new Map(kept.map((message) => [message.info.id, message]));
  for (const message of live) {
    const known = messages.get(message.info.id);
    if (known && isComplete(known) && !isComplete(message)) continue;
    const parts = known ? mergeParts(known.parts, message.parts) : message.parts;
    messages.set(message.info.id, { info: message.info, parts });
  }
  return [...messages.values()].sort(byTime);
}

function isComplete({ info }: SessionMessage): boolean {
  return info.role === "assistant" && info.time.completed !== undefined;
}

function mergeParts(kept: SessionMessage["parts"], live: SessionMessage["parts"]): SessionMessage["parts"] {
  const parts = new Map([...kept, ...live].map((part) => [part.id, part]));
  return [...parts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
