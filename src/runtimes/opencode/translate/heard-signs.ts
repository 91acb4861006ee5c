/**
 * What only the stream of events tells of a lane's session: that its model is at work, since a text is stored when it is
 * whole, and an error that ended a turn before it had a row. Kept from one prompt to the next.
 */
import type { MessageRow } from "../server/opencode-api.ts";

type Signs = { lastAt: number | null; error: { at: number; error: unknown } | null };

export class HeardSigns {
  readonly #signs = new Map<string, Signs>();

  /** `sessionId` is the lane's, whichever session below it the event is about. */
  hear(sessionId: string, own: boolean, type: string, error: unknown, at: number): void {
    const known = this.#signs.get(sessionId) ?? { lastAt: null, error: null };
    if (type === "message.part.delta" || type === "message.part.updated") {
      this.#signs.set(sessionId, { ...known, lastAt: at });
    } else if (type === "session.error" && own && error) {
      // The second one of the same turn carries the program's stack.
      this.#signs.set(sessionId, { ...known, error: known.error ?? { at, error } });
    }
  }

  lastAt(sessionId: string): number | null {
    return this.#signs.get(sessionId)?.lastAt ?? null;
  }

  /** A prompt that nothing followed, with the error that was heard of since, as the row that there is none of. */
  withError(sessionId: string, rows: readonly MessageRow[]): readonly MessageRow[] {
    const heard = this.#signs.get(sessionId)?.error;
    const prompt = rows.at(-1)?.info;
    if (!heard || prompt?.role !== "user") return rows;
    const time = { created: heard.at, completed: heard.at };
    const info = { id: `${prompt.id}_error`, role: "assistant", parentID: prompt.id, time, error: heard.error };
    return [...rows, { info, parts: [] } as unknown as MessageRow];
  }

  /** Before a prompt: what was heard belongs to another. */
  forget(sessionId: string): void {
    this.#signs.delete(sessionId);
  }
}
