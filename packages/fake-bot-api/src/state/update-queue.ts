/** Updates wait here until the bot confirms them. Telegram keeps them for 24 hours. */
import type { Update } from "grammy/types";
import type { Clock } from "../clock.ts";

export type UpdateFields = Omit<Update, "update_id">;
export type UpdateType = keyof UpdateFields;

const keptForMs = 24 * 60 * 60 * 1000;
const firstUpdateId = 814_000_001;
/** A bot gets these only if it requests them by name. */
const onlyOnRequest: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

export type UpdateQueue = {
  add(fields: UpdateFields): void;
  /** Adds an update as given, whatever it contains. */
  addRaw(update: Record<string, unknown>): void;
  /** Oldest first. */
  pending(): Update[];
  /** Drops all updates before this id. */
  confirm(offset: number): void;
  /** Drops all but the newest. */
  keepNewest(count: number): void;
  /** An empty list resets to the default; `undefined` changes nothing. */
  allow(types: readonly string[] | undefined): void;
  allowed(): readonly string[];
  onAdd(listener: () => void): () => void;
};

export function createUpdateQueue(clock: Clock, unknownTypes: ReadonlySet<string>): UpdateQueue {
  let queue: { update: Update; at: number }[] = [];
  let nextId = firstUpdateId;
  let allowed: readonly string[] = [];
  const listeners = new Set<() => void>();

  const push = (update: Update) => {
    queue.push({ update, at: clock.now() });
    for (const listener of [...listeners]) listener();
  };
  const isWanted = (type: string) => {
    if (unknownTypes.has(type)) return false;
    return allowed.length > 0 ? allowed.includes(type) : !onlyOnRequest.has(type);
  };

  return {
    add(fields) {
      if (Object.keys(fields).every(isWanted)) push({ update_id: nextId++, ...fields });
    },
    addRaw(update) {
      push({ update_id: nextId++, ...update });
    },
    pending() {
      const oldest = clock.now() - keptForMs;
      queue = queue.filter(({ at }) => at > oldest);
      return queue.map(({ update }) => update);
    },
    confirm(offset) {
      queue = queue.filter(({ update }) => update.update_id >= offset);
    },
    keepNewest(count) {
      queue = count > 0 ? queue.slice(-count) : [];
    },
    allow(types) {
      if (types) allowed = [...types];
    },
    allowed: () => allowed,
    onAdd(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
