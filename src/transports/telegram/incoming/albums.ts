/**
 * Puts an album together: Telegram reports each of its files as a message of its own. The first waits until no more have come
 * for a moment, and takes the others along.
 */
import type { Clock } from "../../../clock.ts";
import { sleep } from "../../../clock.ts";
import type { IncomingMessage } from "./read-update.ts";

type Member = { message: IncomingMessage; updateId: string };
type Album = { members: Member[]; lastAt: number };

/** The message of the whole album, and the updates that it was made of. */
export type WholeMessage = { message: IncomingMessage; updates: readonly string[] };

/** The files of an album are uploaded together, and reported within a moment. */
const quietMs = 1000;

export class Albums {
  readonly #clock: Clock;
  readonly #gathering = new Map<string, Album>();
  readonly #taken = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called as soon as an update is known, before it waits for its turn. */
  note(message: IncomingMessage, updateId: string): void {
    if (message.album === null) return;
    const album = this.#gathering.get(message.album) ?? { members: [], lastAt: 0 };
    album.members.push({ message, updateId });
    album.lastAt = this.#clock.now();
    this.#gathering.set(message.album, album);
  }

  /** Null for one that was taken along by another. */
  async whole(message: IncomingMessage, updateId: string, signal: AbortSignal): Promise<WholeMessage | null> {
    if (this.#taken.delete(updateId)) return null;
    const album = message.album === null ? undefined : this.#gathering.get(message.album);
    if (message.album === null || !album) return { message, updates: [updateId] };
    while (!signal.aborted && this.#clock.now() < album.lastAt + quietMs) {
      await sleep(this.#clock, album.lastAt + quietMs - this.#clock.now(), signal);
    }
    this.#gathering.delete(message.album);
    for (const member of album.members) if (member.updateId !== updateId) this.#taken.add(member.updateId);
    return { message: merged(album.members), updates: album.members.map((member) => member.updateId) };
  }
}

function merged(members: readonly Member[]): IncomingMessage {
  const messages = members.map(({ message }) => message).sort((one, other) => one.messageId - other.messageId);
  const [first = messages[0] as IncomingMessage] = messages;
  const texts = messages.map(({ text }) => text).filter((text) => text !== "");
  return { ...first, text: texts.join("\n\n"), files: messages.flatMap(({ files }) => files) };
}
