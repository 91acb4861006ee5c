/**
 * Merges the messages of an album, because Telegram reports each file as a separate message. The first one waits until
 * no more arrive for a moment, and takes the others along.
 */
import type { Clock } from "../../../platform/clock.ts";
import { sleep } from "../../../platform/clock.ts";
import type { IncomingMessage } from "./read-update.ts";

type Member = { message: IncomingMessage; updateId: string };
/** `taken`: the members when the first was handled. Later ones become separate messages. */
type Album = { members: Member[]; lastAt: number; taken: readonly Member[] | null };

/** The merged message, and the updates that it consists of. */
type WholeMessage = { message: IncomingMessage; updates: readonly string[] };

/** An album's files are uploaded together, and reported within a moment. */
const quietMs = 1000;
const forgottenMs = 10 * 60_000;

export class Albums {
  readonly #clock: Clock;
  readonly #albums = new Map<string, Album>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call this as soon as an update is known, before it waits for its turn. */
  note(message: IncomingMessage, updateId: string): void {
    if (message.album === null) return;
    const now = this.#clock.now();
    for (const [id, { lastAt }] of this.#albums) if (lastAt + forgottenMs < now) this.#albums.delete(id);
    const album = this.#albums.get(message.album) ?? { members: [], lastAt: now, taken: null };
    album.members.push({ message, updateId });
    album.lastAt = now;
    this.#albums.set(message.album, album);
  }

  /** Null for a message that was merged into another. Repeated calls give the same result. */
  async whole(message: IncomingMessage, updateId: string, signal: AbortSignal): Promise<WholeMessage | null> {
    const album = message.album === null ? undefined : this.#albums.get(message.album);
    if (!album) return { message, updates: [updateId] };
    while (!album.taken && !signal.aborted && this.#clock.now() < album.lastAt + quietMs) {
      await sleep(this.#clock, album.lastAt + quietMs - this.#clock.now(), signal);
    }
    album.taken ??= [...album.members].sort((one, other) => one.message.messageId - other.message.messageId);
    const isMember = album.taken.some((member) => member.updateId === updateId);
    if (!isMember) return { message, updates: [updateId] };
    const [first] = album.taken;
    if (first?.updateId !== updateId) return null;
    return { message: merged(message, album.taken), updates: album.taken.map((member) => member.updateId) };
  }
}

function merged(first: IncomingMessage, members: readonly Member[]): IncomingMessage {
  const messages = members.map(({ message }) => message);
  const texts = messages.map(({ text }) => text).filter((text) => text !== "");
  return { ...first, text: texts.join("\n\n"), files: messages.flatMap(({ files }) => files) };
}
