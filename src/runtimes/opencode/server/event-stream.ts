/**
 * One subscription to the events of all directories. An event only ever says "look now"; what is true is read. A stream
 * that ends, or in which not even a heartbeat comes, is opened again, and whoever listens is told that there was a gap.
 */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../../clock.ts";
import type { OpencodeApi } from "./opencode-api.ts";

export type FeedEvent = { id?: string; type: string; properties: Readonly<Record<string, unknown>> };

export type EventFeedOptions = {
  api: OpencodeApi;
  clock: Clock;
  onEvent: (event: FeedEvent) => void;
  /** Something may have been missed. Also said when the stream is open for the first time. */
  onGap: () => void;
  /** Events come from now on, or come no more; also said when they cannot be had at all. */
  onLive: (live: boolean) => void;
  /** The stream broke, or could not be opened. It is tried again. */
  onError: (error: unknown) => void;
  /** Between 0 and 1: keeps many clients from coming back in the same moment. */
  random?: () => number;
  /** A stream in which nothing came for so long is dead. The server says something every ten seconds. */
  silenceMs?: number;
};

const longestSilenceMs = 25_000;
const firstWaitMs = 250;
const longestWaitMs = 10_000;
/** A stream that was open for so long has made up for all failures before it. */
const goodAfterMs = 10_000;

export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  #endPause = () => {};

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** There is a reason to believe that it works now: the next try is not waited for. */
  tryNow(): void {
    this.#endPause();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random = Math.random } = this.#options;
    for (let failures = 0; !this.#closing.signal.aborted; failures += 1) {
      if (await this.#follow()) failures = 0;
      const wait = Math.min(firstWaitMs * 2 ** failures, longestWaitMs);
      if (!this.#closing.signal.aborted) await this.#pause(wait * (0.5 + random() / 2));
    }
  }

  /** One connection, to its end. True when it was good for a while. */
  async #follow(): Promise<boolean> {
    const { api, clock, onLive, onError, silenceMs = longestSilenceMs } = this.#options;
    const connection = new AbortController();
    const end = () => connection.abort();
    this.#closing.signal.addEventListener("abort", end, { once: true });
    const tooSilent = () =>
      connection.abort(new Error(`no event came for ${silenceMs / 1000} s, not even a heartbeat`));
    let silence = clock.at(clock.now() + silenceMs, tooSilent);
    let live = false;
    const heard = () => {
      silence();
      silence = clock.at(clock.now() + silenceMs, tooSilent);
      // The server speaks at once. A stream in which nothing comes is open, and of no use.
      if (!live) onLive(true);
      live = true;
    };
    let openedAt: number | null = null;
    try {
      const body = await api.events(connection.signal);
      openedAt = clock.now();
      this.#options.onGap();
      await this.#read(body, heard);
      if (!this.#closing.signal.aborted) onError(new Error("the stream of events ended"));
    } catch (error) {
      if (!this.#closing.signal.aborted) onError(error);
    } finally {
      onLive(false);
      silence();
      connection.abort();
      this.#closing.signal.removeEventListener("abort", end);
    }
    return openedAt !== null && clock.now() - openedAt >= goodAfterMs;
  }

  async #read(body: ReadableStream<Uint8Array>, heard: () => void): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        const event = eventFrom(data);
        if (event) this.#options.onEvent(event);
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      heard();
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        this.#endPause = () => {};
        cancel();
        this.#closing.signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = clock.at(clock.now() + ms, end);
      this.#endPause = end;
      this.#closing.signal.addEventListener("abort", end, { once: true });
    });
  }
}

/** Events of all directories come in an envelope that names the directory. Null for what cannot be understood. */
function eventFrom(data: string): FeedEvent | null {
  try {
    const parsed = JSON.parse(data) as { payload?: FeedEvent } & Partial<FeedEvent>;
    const { id, type, properties } = parsed.payload ?? parsed;
    if (typeof type !== "string") return null;
    return { ...(typeof id === "string" ? { id } : {}), type, properties: properties ?? {} };
  } catch {
    // What is not understood says nothing; the next look sees what it was about.
    return null;
  }
}
