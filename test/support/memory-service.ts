/**
 * A service that keeps everything in memory, for tests of what stands in front of it: routes, gates, errors, streams.
 * What it decides is as simple as the port allows; the real service is tested with the real store.
 */
import { AppError } from "../../src/app-error.ts";
import { outlook } from "../../src/core/delivery/outlook.ts";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import type { DeliveryRecord, Status } from "../../src/core/delivery/record.ts";
import { newDelivery, statuses } from "../../src/core/delivery/record.ts";
import type { Lane, Notice } from "../../src/core/lane/lane.ts";
import type { FeedItem } from "../../src/core/log/feed-item.ts";
import type { Page, Paging } from "../../src/core/log/page.ts";
import type { Mail } from "../../src/core/message/message.ts";
import { payloadHash } from "../../src/core/message/message.ts";
import { isKept } from "../../src/core/turn/bounded-event.ts";
import type { UniversalEvent } from "../../src/core/turn/universal-event.ts";
import type { PublishedEvent } from "../../src/events/event-writer.ts";
import type { Choose } from "../../src/mail/admission.ts";
import type {
  AskDecision,
  DeliveryDetail,
  DeliveryState,
  EventPage,
  FollowedEvent,
  LaneSettings,
  LaneState,
  OpenAsk,
  Readiness,
  RuntimeState,
  Send,
  Service,
  Workspace,
} from "../../src/service/service.ts";
import { cursorAt, pageOf, placeOf } from "./memory-pages.ts";
import { aMessage } from "./records.ts";

type NewItem = FeedItem extends infer Item ? (Item extends FeedItem ? Omit<Item, "cursor" | "at"> : never) : never;

export class MemoryService implements Service {
  readonly laneMap = new Map<string, Lane>();
  readonly mail: Mail[] = [];
  readonly records = new Map<string, DeliveryRecord>();
  readonly fed: FeedItem[] = [];
  readonly told: PublishedEvent[] = [];
  readonly openAsks: OpenAsk[] = [];
  readonly answers: { id: string; decision: AskDecision }[] = [];
  readonly sent: Send[] = [];
  restarts = 0;
  readonly forks: { id: string; before: number | null }[] = [];
  /** How many items were taken from the feed by followers. */
  taken = 0;
  following = 0;
  state: Readiness = { ready: true, degraded: false, reasons: [] };
  runtimeStates: RuntimeState[] = [{ kind: "stub", ready: true, isDefault: true, models: [] }];
  /** The only allowed directory. */
  directory = "/tmp";
  denied: string[] = [];
  /** Of every lane. */
  notices: Notice[] = [];
  /** Thrown by everything but the feed. */
  trouble: unknown = null;
  readonly #listeners = new Set<() => void>();
  #ids = 0;

  constructor(lanes: readonly string[] = ["demo"]) {
    for (const id of lanes) this.#keep({ ...plainLane, id });
  }

  happen(item: NewItem): void {
    const cursor = cursorAt(this.fed.length + 1);
    this.fed.push({ ...item, cursor, at: this.fed.length } as FeedItem);
    for (const listener of [...this.#listeners]) listener();
  }

  async send(message: Send, choose?: Choose) {
    this.#check();
    const lane = await this.#laneOf(message.to);
    const id = message.id ?? `generated-${++this.#ids}`;
    const mail: Mail = {
      ...aMessage({
        id,
        text: message.text,
        from: message.from,
        recipient: { kind: "lane", lane: lane.id },
        laneId: lane.id,
        source: message.source ?? "manual",
      }),
      readAt: null,
    };
    const record = newDelivery(mail, payloadHash(mail), lane, defaultPolicy, mail.createdAt);
    const known = this.records.get(record.id);
    if (known && known.payloadHash !== record.payloadHash)
      throw new AppError({ code: "message_conflict", message: "Admitted before with another body." });
    if (known) return { record: known, queuedBehind: null, known: true };
    const isUsed = lane.sessionId !== null || [...this.records.values()].some((one) => one.laneId === lane.id);
    if (choose) this.#keep({ ...lane, ...choose(lane, isUsed) });
    this.sent.push(message);
    const queuedBehind = [...this.records.values()].findLast((one) => one.laneId === lane.id)?.messageId ?? null;
    this.mail.push(mail);
    this.records.set(record.id, record);
    this.happen({ type: "message", laneId: lane.id, message: mail });
    return { record, queuedBehind, known: false };
  }

  async messages(filter: Paging & { lane?: string | undefined; query?: string | undefined }): Promise<Page<Mail>> {
    this.#check();
    const found = this.mail.filter(
      (one) => (filter.lane ?? one.laneId) === one.laneId && one.text.includes(filter.query ?? ""),
    );
    return pageOf(found.toReversed(), filter);
  }

  async withdraw(messageId: string, lane?: string): Promise<DeliveryState> {
    this.#check();
    const found = [...this.records.values()].filter(
      (one) => one.messageId === messageId && (lane ?? one.laneId) === one.laneId,
    );
    const [record] = found;
    if (!record) throw new AppError({ code: "message_unknown", message: "There is no such message." });
    if (found.length > 1) throw new AppError({ code: "message_ambiguous", message: "Several lanes have it." });
    return this.#end(record);
  }

  async deliveries(filter: Parameters<Service["deliveries"]>[0]): Promise<Page<DeliveryState>> {
    this.#check();
    const found = [...this.records.values()].filter(
      (one) =>
        (filter.lane ?? one.laneId) === one.laneId &&
        (filter.messageId ?? one.messageId) === one.messageId &&
        (filter.statuses ?? statuses).includes(one.status),
    );
    return pageOf(
      found.toReversed().map((record) => ({ record, queuedBehind: null })),
      filter,
    );
  }

  async delivery(id: string): Promise<DeliveryDetail> {
    const record = this.#record(id);
    const lane = this.laneMap.get(record.laneId) ?? null;
    const message = this.mail.find((one) => one.id === record.messageId) ?? null;
    const next = outlook({ record, lane, queuedBehind: null, waitReason: null });
    return {
      record,
      queuedBehind: null,
      message,
      replies: [],
      history: [{ type: "admitted", at: record.createdAt, record }],
      outlook: next,
    };
  }

  async retry(id: string): Promise<DeliveryState> {
    const record = this.#record(id);
    if (record.status !== "failed_terminal")
      throw new AppError({ code: "not_possible", message: "It has not failed." });
    return { record, queuedBehind: null };
  }

  async cancel(id: string): Promise<DeliveryState> {
    return this.#end(this.#record(id));
  }

  async lanes(): Promise<LaneState[]> {
    this.#check();
    return [...this.laneMap.values()].map((lane) => this.#stateOf(lane));
  }

  async lane(id: string): Promise<LaneState> {
    this.#check();
    const lane = this.laneMap.get(id);
    if (!lane) throw new AppError({ code: "lane_unknown", message: `There is no lane "${id}".`, hint: "Look again." });
    return this.#stateOf(lane);
  }

  async putLane(settings: LaneSettings): Promise<LaneState> {
    this.#check();
    return this.#keep({ ...plainLane, ...settings, runtime: settings.runtime ?? "stub" });
  }

  async renameLane(id: string, displayName: string | null): Promise<LaneState> {
    return this.#keep({ ...(await this.lane(id)).lane, displayName });
  }

  async removeLane(id: string, force: boolean): Promise<void> {
    await this.lane(id);
    const open = [...this.records.values()].some((one) => one.laneId === id && one.status === "pending");
    if (open && !force) throw new AppError({ code: "lane_in_use", message: "Deliveries are open in it." });
    this.laneMap.delete(id);
  }

  abort(id: string): Promise<LaneState> {
    return this.lane(id);
  }

  async pause(id: string, reason: string): Promise<LaneState> {
    return this.#keep({ ...(await this.lane(id)).lane, pausedReason: reason });
  }

  async resume(id: string): Promise<LaneState> {
    return this.#keep({ ...(await this.lane(id)).lane, pausedReason: null });
  }

  release(id: string): Promise<LaneState> {
    return this.lane(id);
  }

  async adoptSession(id: string, sessionId: string): Promise<LaneState> {
    const { lane } = await this.lane(id);
    const owner = [...this.laneMap.values()].find((one) => one.sessionId === sessionId && one.id !== id);
    if (owner) throw new AppError({ code: "session_in_use", message: "It is another lane's." });
    return this.#keep({ ...lane, sessionId, generation: lane.generation + 1 });
  }

  async fork(id: string, before: number | null, as: { id: string; displayName: string | null }): Promise<LaneState> {
    this.#check();
    const { lane } = await this.lane(id);
    this.forks.push({ id, before });
    return this.#keep({ ...lane, ...as, sessionId: null, generation: 0 });
  }

  async asks(): Promise<OpenAsk[]> {
    this.#check();
    return this.openAsks;
  }

  async answer(id: string, decision: AskDecision): Promise<void> {
    this.#check();
    if (!this.openAsks.some((ask) => ask.id === id))
      throw new AppError({ code: "ask_unknown", message: "Nothing is asked under that id." });
    this.answers.push({ id, decision });
  }

  async *follow({ after, lane, signal }: Parameters<Service["follow"]>[0]): AsyncGenerator<FeedItem> {
    for await (const item of this.#followed(this.fed, after, signal)) {
      if (lane !== undefined && item.laneId !== lane) continue;
      this.taken++;
      yield item;
    }
  }

  async *#followed<T>(list: readonly T[], after: string | undefined, signal: AbortSignal): AsyncGenerator<T> {
    let place = after === undefined ? list.length : placeOf(after);
    this.following++;
    try {
      while (!signal.aborted) {
        const item = list[place];
        if (item === undefined) await this.#next(signal);
        else {
          place++;
          yield item;
        }
      }
    } finally {
      this.following--;
    }
  }

  async feed(after: string, limit: number) {
    const items = this.fed.slice(placeOf(after), placeOf(after) + limit);
    return { items, cursor: items.at(-1)?.cursor ?? after };
  }

  async checkCursor(cursor: string): Promise<void> {
    placeOf(cursor);
  }

  async now(): Promise<string> {
    return cursorAt(this.fed.length);
  }

  async events({ after, lane, limit }: Parameters<Service["events"]>[0]): Promise<EventPage> {
    this.#check();
    if (lane !== undefined) await this.lane(lane);
    const from = after === undefined ? 0 : placeOf(after);
    const events = this.told
      .slice(from)
      .flatMap(({ cursor, event, text }) => (cursor === null ? [] : [{ cursor, event, text }]))
      .filter(({ event }) => (lane ?? event.lane) === event.lane)
      .slice(0, limit);
    const cursor = events.length === limit ? (events.at(-1)?.cursor ?? "") : await this.eventsEnd();
    return { reset: null, events, cursor };
  }

  async *followEvents({ after, lane, signal }: Parameters<Service["followEvents"]>[0]): AsyncGenerator<FollowedEvent> {
    for await (const told of this.#followed(this.told, after, signal)) {
      if ((lane ?? told.event.lane) === told.event.lane) yield { type: "event", ...told };
    }
  }

  async eventsEnd(): Promise<string> {
    return cursorAt(this.told.length);
  }

  async eventsBefore(laneId: string, seq: number | null, limit: number): Promise<UniversalEvent[]> {
    this.#check();
    const kept = this.told.flatMap(({ cursor, event }) => (cursor !== null && event.lane === laneId ? [event] : []));
    return kept
      .filter((event) => event.seq < (seq ?? Number.MAX_SAFE_INTEGER))
      .slice(-limit)
      .reverse();
  }

  /** Something that an agent did; deltas as well. */
  tell(event: UniversalEvent): void {
    const cursor = isKept(event) ? cursorAt(this.told.length + 1) : null;
    this.told.push({ cursor, event, text: JSON.stringify(event) });
    for (const listener of [...this.#listeners]) listener();
  }

  async runtimes(): Promise<RuntimeState[]> {
    this.#check();
    return this.runtimeStates;
  }

  async workspace(directory?: string): Promise<Workspace> {
    this.#check();
    const wanted = directory ?? this.directory;
    if (wanted === this.directory || wanted.startsWith(`${this.directory}/`))
      return { directory: wanted, denied: this.denied };
    throw new AppError({ code: "directory_not_allowed", message: `A lane may not work in ${wanted}.` });
  }

  async readiness(): Promise<Readiness> {
    this.#check();
    return this.state;
  }

  async counts(): Promise<Record<Status, number>> {
    this.#check();
    const count = (status: Status) => [...this.records.values()].filter((one) => one.status === status).length;
    return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>;
  }

  restart(): void {
    this.restarts++;
  }

  #check(): void {
    if (this.trouble !== null) throw this.trouble;
  }

  #keep(lane: Lane): LaneState {
    this.laneMap.set(lane.id, lane);
    return this.#stateOf(lane);
  }

  #stateOf(lane: Lane): LaneState {
    const usage = { tokens: 0, cost: 0, lifted: false };
    const { notices } = this;
    return { lane, runtimeReady: true, holder: null, waiting: 0, waitReason: null, notices, usage };
  }

  #record(id: string): DeliveryRecord {
    this.#check();
    const record = this.records.get(id);
    if (!record) throw new AppError({ code: "delivery_unknown", message: "There is no such delivery." });
    return record;
  }

  #end(record: DeliveryRecord): DeliveryState {
    if (record.status !== "pending") throw new AppError({ code: "not_possible", message: "It is over." });
    const ended = { ...record, status: "cancelled" as const };
    this.records.set(record.id, ended);
    return { record: ended, queuedBehind: null };
  }

  async #laneOf(to: Send["to"]): Promise<Lane> {
    if ("lane" in to) return (await this.lane(to.lane)).lane;
    const lane = [...this.laneMap.values()].find((one) => one.team === to.team && one.member === to.member);
    if (!lane) throw new AppError({ code: "member_unknown", message: "There is no such member." });
    return lane;
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#listeners.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#listeners.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

const plainLane: Lane = {
  id: "demo",
  displayName: null,
  team: null,
  member: null,
  runtime: "stub",
  directory: "/tmp",
  agent: null,
  model: null,
  contract: "text",
  pausedReason: null,
  sessionId: null,
  generation: 0,
  createdAt: 0,
};
