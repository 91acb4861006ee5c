/** The topics that are known, in memory and in the store. What changes is written by whoever commits the update. */
import { z } from "zod";
import type { TransportWrites } from "../../../mail/outbox/transport-box.ts";
import type { Place } from "../incoming/read-update.ts";
import type { Topic } from "./topic.ts";
import { migrated, newTopic, topicKey } from "./topic.ts";

type StateWrite = NonNullable<TransportWrites["state"]>[number];

const topicPrefix = "topic:";
const chatPrefix = "chat:";

/** Written by this program only, but perhaps by an older one. */
const storedTopic = z.object({
  key: z.string(),
  chat: z.number(),
  thread: z.number().nullable(),
  isPrivate: z.boolean(),
  title: z.string().nullable(),
  name: z.string().nullable(),
  activeWorkspace: z.string().nullable(),
  workspaces: z.array(z.object({ path: z.string(), lane: z.string(), lastUsedAt: z.number() })),
  boundTo: z.union([z.object({ lane: z.string() }), z.object({ team: z.string(), member: z.string() })]).nullable(),
  since: z.number(),
});
const storedChat = z.object({ since: z.number(), formerId: z.number().nullable() });
type KnownChat = z.output<typeof storedChat>;

export class Topics {
  readonly #topics = new Map<string, Topic>();
  readonly #chats = new Map<number, KnownChat>();
  readonly #byLane = new Map<string, Topic>();

  load(state: ReadonlyMap<string, unknown>): void {
    for (const [key, value] of state) {
      if (key.startsWith(topicPrefix)) this.#remember(storedTopic.parse(value));
      if (key.startsWith(chatPrefix)) this.#chats.set(Number(key.slice(chatPrefix.length)), storedChat.parse(value));
    }
  }

  /** As it is known, or as it would begin. */
  of(place: Place, now: number): Topic {
    const known = this.#topics.get(topicKey(place));
    return known ? { ...known, title: place.title ?? known.title } : newTopic(place, now);
  }

  find(key: string): Topic | null {
    return this.#topics.get(key) ?? null;
  }

  /** The topic whose agent works in this lane. */
  ofLane(lane: string): Topic | null {
    return this.#byLane.get(lane) ?? null;
  }

  all(): Topic[] {
    return [...this.#topics.values()];
  }

  /** Whether anything was ever said in a chat. */
  isKnownChat(chat: number): boolean {
    return this.#chats.has(chat);
  }

  /** The id of a group before it became a supergroup. */
  formerId(chat: number): number | null {
    return this.#chats.get(chat)?.formerId ?? null;
  }

  /** Keeps a topic; to be committed with the update that changed it. */
  keep(topic: Topic, now: number): StateWrite[] {
    this.#remember(topic);
    const writes: StateWrite[] = [{ key: `${topicPrefix}${topic.key}`, value: topic }];
    if (!this.#chats.has(topic.chat)) writes.push(this.#keepChat(topic.chat, { since: now, formerId: null }));
    return writes;
  }

  /** A group has another id from now on. */
  migrate(from: number, to: number, now: number): StateWrite[] {
    const moved = this.all().filter(({ chat }) => chat === from);
    const formerId = this.formerId(from) ?? from;
    const chat = this.#keepChat(to, { since: this.#chats.get(from)?.since ?? now, formerId });
    return [chat, ...moved.flatMap((topic) => this.#move(topic, to, now))];
  }

  #move(topic: Topic, chat: number, now: number): StateWrite[] {
    this.#topics.delete(topic.key);
    return [{ key: `${topicPrefix}${topic.key}`, value: null }, ...this.keep(migrated(topic, chat), now)];
  }

  #keepChat(chat: number, known: KnownChat): StateWrite {
    this.#chats.set(chat, known);
    return { key: `${chatPrefix}${chat}`, value: known };
  }

  #remember(topic: Topic): void {
    this.#topics.set(topic.key, topic);
    for (const { lane } of topic.workspaces) this.#byLane.set(lane, topic);
  }
}
