/**
 * Tracks texts of a lane that were published before their message was complete, for example because a call follows
 * them. They are published again with the message, for clients that were not connected.
 */
import type { LiveText } from "./frame.ts";
import type { NumberedEvent } from "./live-events.ts";

export class LiveTextDedupe {
  /** By part. */
  readonly #published = new Map<string, { text: string; key: object }>();

  /** Null for events that are published once. */
  liveTextOf({ event, number }: NumberedEvent): LiveText | null {
    const complete = completeText(event);
    if (complete === null) return null;
    if (number === null) {
      const key = {};
      this.#published.set(complete.id, { text: complete.text, key });
      return { key, isRepeat: false };
    }
    const published = this.#published.get(complete.id);
    this.#published.delete(complete.id);
    return published?.text === complete.text ? { key: published.key, isRepeat: true } : null;
  }

  clear(): void {
    this.#published.clear();
  }
}

function completeText({ type, properties }: NumberedEvent["event"]): { id: string; text: string } | null {
  if (type !== "message.part.updated") return null;
  const { part } = properties as { part: { id: string; text?: string; time?: { end?: number } } };
  return part.text === undefined || part.time?.end === undefined ? null : { id: part.id, text: part.text };
}
