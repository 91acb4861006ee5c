/** Keeps what a server says on its stream of all events, and waits for a word in it. */
import { setTimeout as wait } from "node:timers/promises";
import { createParser } from "eventsource-parser";

export type Heard = { directory?: string; payload: { type: string; properties: Record<string, unknown> } };

/** After so long without an event, the scenario is over. */
const quietMs = 600;

export class Listener {
  readonly events: Heard[] = [];
  readonly #connection = new AbortController();
  readonly #waiting = new Set<() => void>();
  #lastAt = Date.now();
  #reading: Promise<void> = Promise.resolve();

  static async open(url: string): Promise<Listener> {
    const listener = new Listener();
    const { body } = await fetch(`${url}/global/event`, { signal: listener.#connection.signal });
    if (!body) throw new Error("the stream of events has no body");
    listener.#reading = listener.#read(body).catch(() => {});
    await listener.hears("server.connected");
    return listener;
  }

  /** Resolves when the `times`-th event of this type, and for which this holds, has come. */
  async hears(type: string, fits: (properties: Record<string, unknown>) => boolean = () => true, times = 1) {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const found = this.events.filter(({ payload }) => payload.type === type && fits(payload.properties));
      const one = found[times - 1];
      if (one) return one.payload.properties;
      if (Date.now() > deadline) throw new Error(`${type} did not come`);
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), wait(1000)]);
    }
  }

  /** Resolves when nothing has come for a while. */
  async quiet(): Promise<void> {
    while (Date.now() - this.#lastAt < quietMs) await wait(50);
  }

  sessions(): string[] {
    const named = this.events.map(({ payload }) => payload.properties?.sessionID);
    return [...new Set(named.filter((one) => typeof one === "string"))];
  }

  async close(): Promise<void> {
    this.#connection.abort();
    await this.#reading;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.#hear(JSON.parse(data) as Heard) });
    const decoder = new TextDecoder();
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
  }

  #hear(event: Heard): void {
    if (event.payload.type === "server.heartbeat") return;
    this.#lastAt = Date.now();
    this.events.push(event);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
