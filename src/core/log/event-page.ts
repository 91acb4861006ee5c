/** Events as they are kept and handed out: each with the text that stands for it in the store and in every stream. */
import type { UniversalEvent } from "../turn/universal-event.ts";

export type LoggedEvent = { event: UniversalEvent; text: string };
export type StoredEvent = LoggedEvent & { cursor: string };

export type EventFilter = {
  /** Without one, from the oldest that is kept. */
  after?: string | undefined;
  lane?: string | undefined;
  limit: number;
};

/**
 * Events in their order. `cursor` is where to go on; a page without events is the end of them. `reset`, a cursor, when
 * some that came after the given one are not kept any more.
 */
export type EventPage = { reset: string | null; events: readonly StoredEvent[]; cursor: string };
