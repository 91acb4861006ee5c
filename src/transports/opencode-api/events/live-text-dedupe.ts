/**
 * Which words of a lane were told before their message was over, as when a tool is called after them. They are told
 * again with the message, for those who were not there.
 */
import type { Emitted } from "../projection/session-projection.ts";
import type { Words } from "./frame.ts";

export class EarlyWords {
  /** By part. */
  readonly #told = new Map<string, { text: string; spoken: object }>();

  /** Null for all that is told once. `number` is null for what is told live only. */
  wordsOf(emitted: Emitted, number: number | null): Words | null {
    const whole = wholeWords(emitted);
    if (whole === null) return null;
    if (number === null) {
      const spoken = {};
      this.#told.set(whole.id, { text: whole.text, spoken });
      return { spoken, again: false };
    }
    const told = this.#told.get(whole.id);
    this.#told.delete(whole.id);
    return told?.text === whole.text ? { spoken: told.spoken, again: true } : null;
  }

  clear(): void {
    this.#told.clear();
  }
}

function wholeWords({ type, properties }: Emitted): { id: string; text: string } | null {
  if (type !== "message.part.updated") return null;
  const { part } = properties as { part: { id: string; text?: string; time?: { end?: number } } };
  return part.text === undefined || part.time?.end === undefined ? null : { id: part.id, text: part.text };
}
