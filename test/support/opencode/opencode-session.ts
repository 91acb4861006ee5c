/**
 * A session driven by OpenCode's own SDK, on a real OpenCode server or through Waybill: both have the same API, so a scene is
 * played in the same way on both. It keeps the events of the stream.
 */
import type { OpencodeClient } from "@opencode-ai/sdk/v2";
import { createOpencodeClient } from "@opencode-ai/sdk/v2";
import type { Message, Part } from "@opencode-ai/sdk/v2/types";
import type { SeenEvent } from "./opencode-list.ts";

export type Reached = { url: string; authorization: string | null };

export class OpencodeSession {
  readonly client: OpencodeClient;
  readonly events: SeenEvent[] = [];
  readonly #end = new AbortController();
  readonly #waiting = new Set<() => void>();
  #reading: Promise<void> = Promise.resolve();
  /** The stream ended, and with it the server. */
  isOver = false;
  id = "";

  readonly #comesBack: boolean;

  /** `comesBack`: reconnects when the stream breaks, as the SDK does. */
  constructor({ url, authorization }: Reached, directory: string, { comesBack = false } = {}) {
    this.#comesBack = comesBack;
    const headers = authorization === null ? {} : { Authorization: authorization };
    this.client = createOpencodeClient({ baseUrl: url, headers, directory });
  }

  /** In an existing session, or in a new one. */
  async open(id?: string): Promise<this> {
    const options = { signal: this.#end.signal, ...(this.#comesBack ? {} : { sseMaxRetryAttempts: 1 }) };
    const { stream } = await this.client.event.subscribe({}, options);
    this.#reading = this.#read(stream as AsyncIterable<SeenEvent>).finally(() => this.#over());
    await this.hears(({ type }) => type === "server.connected");
    this.id = id ?? (await this.client.session.create({}, { throwOnError: true })).data.id;
    return this;
  }

  async prompt(text: string): Promise<void> {
    const parts = [{ type: "text" as const, text }];
    await this.client.session.promptAsync({ sessionID: this.id, parts }, { throwOnError: true });
  }

  async abort(): Promise<void> {
    await this.client.session.abort({ sessionID: this.id }, { throwOnError: true });
  }

  /** Resolves with the `nth` permission that this session asks for. */
  asks(nth = 1): Promise<SeenEvent> {
    return this.hears((event) => this.#isOwn(event, "permission.asked"), nth);
  }

  async reply(reply: "once" | "reject", nth = 1): Promise<void> {
    const asked = await this.asks(nth);
    await this.client.permission.reply({ requestID: String(asked.properties.id), reply }, { throwOnError: true });
  }

  /** Everything until the session has become idle this many times, or the server has died. */
  async untilRest(times = 1): Promise<SeenEvent[]> {
    const rest = await this.#find((event) => this.#isOwn(event, "session.idle"), times);
    return rest === null ? this.events : this.events.slice(0, this.events.indexOf(rest) + 1);
  }

  /** The same, once a message of the agent has failed: OpenCode reports idle before and again after that. */
  async untilFailed(): Promise<SeenEvent[]> {
    const failed = await this.hears((event) => {
      const info = event.properties.info as Message | undefined;
      return this.#isOwn(event, "message.updated") && info?.role === "assistant" && info.error !== undefined;
    });
    const after = this.events.indexOf(failed);
    const rest = await this.hears((event) => this.#isOwn(event, "session.idle") && this.events.indexOf(event) > after);
    return this.events.slice(0, this.events.indexOf(rest) + 1);
  }

  /** Resolves when this many messages of the agent are complete. */
  async hasSaid(messages: number): Promise<void> {
    await this.#hasShown(messages, (info) => info.role === "assistant" && info.time.completed !== undefined);
  }

  /** Resolves when this many messages of people are shown: a prompt is answered before its message is stored. */
  async hasAsked(messages: number): Promise<void> {
    await this.#hasShown(messages, (info) => info.role === "user");
  }

  async #hasShown(messages: number, fits: (info: Message) => boolean): Promise<void> {
    const ids = new Set<string>();
    await this.hears((event) => {
      const info = event.properties.info as Message;
      if (!this.#isOwn(event, "message.updated") || !fits(info) || ids.has(info.id)) return false;
      ids.add(info.id);
      return true;
    }, messages);
  }

  /** Resolves when a tool runs with this text in its input. */
  async runs(words: string): Promise<void> {
    await this.hears(({ type, properties }) => {
      const part = properties.part as Part | undefined;
      const isRunning = type === "message.part.updated" && part?.type === "tool" && part.state.status === "running";
      return isRunning && part.sessionID === this.id && JSON.stringify(part.state).includes(words);
    });
  }

  async messages(): Promise<{ info: Message; parts: Part[] }[]> {
    return (await this.client.session.messages({ sessionID: this.id }, { throwOnError: true })).data;
  }

  /** The `nth` matching event. */
  async hears(fits: (event: SeenEvent) => boolean, nth = 1): Promise<SeenEvent> {
    const found = await this.#find(fits, nth);
    if (found === null) throw new Error(`the stream ended after ${this.events.map(({ type }) => type).join(", ")}`);
    return found;
  }

  async #find(fits: (event: SeenEvent) => boolean, nth: number): Promise<SeenEvent | null> {
    let [seen, found] = [0, 0];
    for (;;) {
      for (; seen < this.events.length; seen += 1) {
        const event = this.events[seen] as SeenEvent;
        if (fits(event)) found += 1;
        if (found === nth) return event;
      }
      if (this.isOver) return null;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#reading;
  }

  #isOwn({ type, properties }: SeenEvent, wanted: string): boolean {
    return type === wanted && properties.sessionID === this.id;
  }

  async #read(stream: AsyncIterable<SeenEvent>): Promise<void> {
    for await (const event of stream) {
      this.events.push(event);
      this.#wake();
    }
  }

  #over(): void {
    this.isOver = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
