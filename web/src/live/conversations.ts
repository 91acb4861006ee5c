/**
 * The opened conversations: messages with their deliveries, and what the agent did. A conversation is loaded from its
 * end, and further back as the reader scrolls. The stream keeps it up to date; duplicates change nothing.
 */
import type { Delivery, Message, StreamEvent, UniversalEvent } from "waybill/client";
import { client } from "./client.ts";
import { conversationsOf, filterOf, isWithLane, memberConversation } from "./conversation-id.ts";
import { keyOf } from "./message-key.ts";
import type { Store } from "./store.ts";
import { createStore } from "./store.ts";
import type { LaneEvents } from "./turns.ts";
import { isBehind, noEvents, withEvents, withOlderEvents, withOpenItems } from "./turns.ts";

export type Conversation = {
  state: "loading" | "ready" | "failed";
  /** How often it was loaded from scratch. */
  round: number;
  error: unknown;
  /** Oldest first. */
  messages: readonly Message[];
  /** By message id. */
  deliveries: ReadonlyMap<string, Delivery>;
  /** Where older messages begin; null when there are none. */
  olderCursor: string | null;
  isLoadingOlder: boolean;
  /** Why older messages could not be loaded; null until that happens. They are not requested again by themselves. */
  olderError: unknown;
  events: LaneEvents;
  /** The number below which older events may be found; null when there are none. */
  olderEvents: number | null;
};

const empty: Conversation = {
  state: "loading",
  round: 0,
  error: null,
  messages: [],
  deliveries: new Map(),
  olderCursor: null,
  isLoadingOlder: false,
  olderError: null,
  events: noEvents,
  olderEvents: null,
};

const pageSize = 50;
const eventPageSize = 200;
/** A page of messages may span hundreds of turns; the rest is loaded later. */
const maxEventPages = 5;
const maxOpen = 20;

const conversations = new Map<string, Store<Conversation>>();

/** Loads it, unless it is loaded. */
export function conversationOf(id: string): Store<Conversation> {
  const known = conversations.get(id);
  if (known) {
    // The least recently used one is dropped first.
    conversations.delete(id);
    conversations.set(id, known);
    return known;
  }
  const store = createStore<Conversation>(empty);
  conversations.set(id, store);
  for (const oldest of conversations.keys()) {
    if (conversations.size <= maxOpen) break;
    conversations.delete(oldest);
  }
  void load(id, store);
  return store;
}

/** After a gap in the stream: everything is read again. */
export function reloadConversations(): void {
  for (const [id, store] of conversations) reload(id, store);
}

export function retryLoading(id: string): void {
  const store = conversations.get(id);
  if (store) reload(id, store);
}

function reload(id: string, store: Store<Conversation>): void {
  store.set({ ...empty, round: store.latest().round + 1 });
  void load(id, store);
}

/** Written to until it is loaded from scratch: what was requested before that would leave a gap in it. */
function inThisRound(store: Store<Conversation>): Store<Conversation> {
  const { round } = store.latest();
  return { ...store, set: (next) => store.latest().round === round && store.set(next) };
}

async function load(id: string, shared: Store<Conversation>): Promise<void> {
  const store = inThisRound(shared);
  try {
    const [page] = await Promise.all([
      client.messages({ ...filterOf(id), limit: pageSize, deliveries: true }),
      isWithLane(id) ? loadEvents(id, store, null) : null,
    ]);
    takePage(store, page);
    if (isWithLane(id)) {
      await loadEventsBackTo(id, store);
      await takeTurn(id, store);
    }
    update(store, { state: "ready" });
  } catch (error) {
    update(store, { state: "failed", error });
  }
}

export async function loadOlder(id: string): Promise<void> {
  const shared = conversations.get(id);
  if (!shared) return;
  const store = inThisRound(shared);
  const { olderCursor, isLoadingOlder, state } = store.latest();
  if (olderCursor === null || isLoadingOlder || state !== "ready") return;
  update(store, { isLoadingOlder: true, olderError: null });
  try {
    const page = await client.messages({ ...filterOf(id), limit: pageSize, deliveries: true, cursor: olderCursor });
    takePage(store, page);
    if (isWithLane(id)) await loadEventsBackTo(id, store);
    update(store, { isLoadingOlder: false });
  } catch (error) {
    update(store, { isLoadingOlder: false, olderError: error });
  }
}

type MessagePage = Awaited<ReturnType<typeof client.messages>>;

function takePage(store: Store<Conversation>, { messages, deliveries = [], nextCursor }: MessagePage): void {
  update(store, { olderCursor: nextCursor ?? null });
  takeMessages(store, messages);
  takeDeliveries(store, deliveries);
}

/** Until events cover the whole time span of the messages. */
async function loadEventsBackTo(lane: string, store: Store<Conversation>): Promise<void> {
  for (let pages = 0; pages < maxEventPages; pages += 1) {
    const { olderEvents, messages, events } = store.latest();
    const oldest = messages[0];
    const since = events.turns[0]?.startedAt ?? Number.POSITIVE_INFINITY;
    if (olderEvents === null || !oldest || since <= Date.parse(oldest.createdAt)) return;
    await loadEvents(lane, store, olderEvents);
  }
}

async function loadEvents(lane: string, store: Store<Conversation>, before: number | null): Promise<void> {
  const page = await client.laneEvents(lane, { limit: eventPageSize, ...(before === null ? {} : { before }) });
  const { events } = store.latest();
  const older = page.events.filter(({ seq }) => events.firstSeq === 0 || seq < events.firstSeq).reverse();
  update(store, { events: withOlderEvents(events, older), olderEvents: page.nextBefore });
}

/** Where an answer with the live turn is expected. Each round expects its own. */
const asking = new WeakSet<Store<Conversation>>();
/** Lanes whose texts are too long for that answer. */
const tooLong = new Set<string>();

/** The text so far of the running turn. Earlier deltas are not stored anywhere else. */
async function takeTurn(lane: string, store: Store<Conversation>): Promise<void> {
  if (asking.has(store)) return;
  asking.add(store);
  try {
    const { turn, items, cut } = await client.turn(lane);
    if (cut.length > 0) tooLong.add(lane);
    else tooLong.delete(lane);
    if (items.length > 0) update(store, { events: withOpenItems(store.latest().events, turn, items) });
  } finally {
    asking.delete(store);
  }
}

/** After a lost connection: no delta contains what was said in between. What failed meanwhile is tried again. */
export function resumeConversations(): void {
  for (const [id, store] of conversations) {
    const { state } = store.latest();
    if (state === "failed") reload(id, store);
    else if (state === "ready" && isWithLane(id)) void rejoin(id, store);
  }
}

async function rejoin(lane: string, store: Store<Conversation>): Promise<void> {
  try {
    await takeTurn(lane, store);
  } catch {
    // The stream reports that the daemon is away, and this is requested again when it is back.
  }
}

function update(store: Store<Conversation>, change: Partial<Conversation>): void {
  store.set({ ...store.latest(), ...change });
}

function takeMessages(store: Store<Conversation>, added: readonly Message[]): void {
  const { messages } = store.latest();
  const [oldest, newest] = [messages[0], messages.at(-1)];
  const isOlder = oldest !== undefined && added.every((message) => message.createdAt < oldest.createdAt);
  const isNewer = newest === undefined || added.every((message) => message.createdAt > newest.createdAt);
  const sorted = added.toSorted(byTime);
  if (isOlder || isNewer)
    return update(store, { messages: isOlder ? [...sorted, ...messages] : [...messages, ...sorted] });
  const byId = new Map(messages.map((message) => [keyOf(message), message]));
  for (const message of added) byId.set(keyOf(message), message);
  update(store, { messages: [...byId.values()].sort(byTime) });
}

/** Times have one format, so they sort as text. */
function byTime({ createdAt: one }: Message, { createdAt: other }: Message): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function takeDeliveries(store: Store<Conversation>, added: readonly Delivery[]): void {
  const deliveries = new Map(store.latest().deliveries);
  for (const delivery of added) {
    const known = deliveries.get(delivery.messageId);
    if (!known || known.version <= delivery.version) deliveries.set(delivery.messageId, withQueue(delivery, known));
  }
  update(store, { deliveries });
}

/** The stream does not report what a message waits for; the earlier value is kept while the message still waits. */
function withQueue(delivery: Delivery, known: Delivery | undefined): Delivery {
  const { queuedBehindMessageId = known?.queuedBehindMessageId } = delivery;
  if (delivery.status !== "pending" || queuedBehindMessageId === undefined) return delivery;
  return { ...delivery, queuedBehindMessageId };
}

export function onMessage(message: Message): void {
  for (const id of conversationsOf(message)) {
    const store = conversations.get(id);
    if (store) takeMessages(store, [message]);
  }
}

/** What became of a message's row in a member's inbox file. */
export function onHandOver(event: Extract<StreamEvent, { type: "inbox" }>): void {
  const { team, inbox, messageId, state, reason, at } = event;
  if (inbox === null || state === null) return;
  const conversation = memberConversation({ team, name: inbox });
  const store = conversations.get(conversation);
  if (!store) return;
  // The messages that are being read may have been read before this happened.
  if (store.latest().state === "loading") return reload(conversation, store);
  const message = store.latest().messages.find(({ id, to }) => id === messageId && "member" in to);
  if (message) takeMessages(store, [{ ...message, handOver: { state, reason, changedAt: at } }]);
}

export function onDelivery(delivery: Delivery): void {
  const store = conversations.get(delivery.lane);
  if (store) takeDeliveries(store, [delivery]);
}

export function onLaneEvent(event: UniversalEvent): void {
  const store = conversations.get(event.lane);
  if (!store) return;
  const { events, state } = store.latest();
  const next = withEvents(events, [event]);
  if (next !== events) update(store, { events: next });
  const isMissing = event.type === "item.delta" && state === "ready" && isBehind(next, event);
  if (isMissing && !tooLong.has(event.lane)) void rejoin(event.lane, store);
}
