/** The known topics, in memory and in the store. The caller commits changes together with the update. */
import { z } from "zod";
import type { Lane } from "../../../core/lane/lane.ts";
import type { TransportWrites } from "../../../mail/outbox/transport-box.ts";
import type { Place } from "../updates/read-update.ts";
import type { Topic } from "./topic.ts";
import { concerns, migrated, newTopic, storedTopic, topicKey } from "./topic.ts";

export type StateWrite = NonNullable<TransportWrites["state"]>[number];

const topicPrefix = "topic:";
const chatPrefix = "chat:";
const personPrefix = "person:";

const storedChat = z.object({ since: z.number(), formerId: z.number().nullable() });
type KnownChat = z.output<typeof storedChat>;

export class Topics {
  readonly #topics = new Map<string, Topic>();
  readonly #chats = new Map<number, KnownChat>();
  readonly #byLane = new Map<string, Topic>();
  /** People's private chats, by name in lower case. */
  readonly #people = new Map<string, number>();

  load(state: ReadonlyMap<string, unknown>): void {
    for (const [key, value] of state) {
      if (key.startsWith(topicPrefix)) this.#remember(storedTopic.parse(value));
      if (key.startsWith(chatPrefix)) this.#chats.set(Number(key.slice(chatPrefix.length)), storedChat.parse(value));
      if (key.startsWith(personPrefix)) this.#people.set(key.slice(personPrefix.length), z.number().parse(value));
    }
  }

  /** The known topic, or a new one. */
  of(place: Place, now: number): Topic {
    const known = this.#topics.get(topicKey(place));
    return known ? { ...known, title: place.title ?? known.title } : newTopic(place, now);
  }

  /** Also finds a topic by its key from before its group became a supergroup. */
  find(key: string): Topic | null {
    const isMeant = ({ chat, thread }: Topic) => topicKey({ chat: this.formerId(chat) ?? chat, thread }) === key;
    return this.#topics.get(key) ?? this.all().find(isMeant) ?? null;
  }

  /** The topic whose agent works in this lane. */
  ofLane(lane: string): Topic | null {
    return this.#byLane.get(lane) ?? null;
  }

  /** The topics bound to a lane, by its id or as a team member. */
  boundTo(lane: Pick<Lane, "id" | "team" | "member">): Topic[] {
    return this.all().filter(({ boundTo }) => boundTo !== null && concerns(boundTo, lane));
  }

  /** Where to write to a person; null if they have not used the bot. */
  privateChatOf(person: string): number | null {
    return this.#people.get(person.toLowerCase()) ?? null;
  }

  /** Remembers a person's private chat. Commit the writes with the update that it came from. */
  keepPerson(person: string, chat: number): StateWrite[] {
    const name = person.toLowerCase();
    if (this.#people.get(name) === chat) return [];
    this.#people.set(name, chat);
    return [{ key: `${personPrefix}${name}`, value: chat }];
  }

  all(): Topic[] {
    return [...this.#topics.values()];
  }

  /** Whether the chat has been used before. */
  isKnownChat(chat: number): boolean {
    return this.#chats.has(chat);
  }

  /** The id of a group before it became a supergroup. */
  formerId(chat: number): number | null {
    return this.#chats.get(chat)?.formerId ?? null;
  }

  /** Keeps a topic. Commit the writes with the update that changed it. */
  keep(topic: Topic, now: number): StateWrite[] {
    this.#remember(topic);
    const writes: StateWrite[] = [{ key: `${topicPrefix}${topic.key}`, value: topic }];
    if (!this.#chats.has(topic.chat)) writes.push(this.#keepChat(topic.chat, { since: now, formerId: null }));
    return writes;
  }

  /** A group has become a supergroup, with a new id. */
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
