/**
 * One subscription to the events of all directories. An event only says that something may have changed; the transcript
 * is then read. If the stream ends, or not even a heartbeat arrives, it is reopened, and the listener learns of the
 * gap.
 */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../../platform/clock.ts";
import { asObject, jsonIn } from "../../json-fields.ts";
import type { OpencodeApi } from "./api.ts";

export type OpencodeEvent = { id?: string; type: string; properties: Readonly<Record<string, unknown>> };

export type OpencodeEventStreamOptions = {
  api: OpencodeApi;
  clock: Clock;
  onEvent: (event: OpencodeEvent) => void;
  /** Called when events may have been missed, and when the stream first opens. */
  onGap: () => void;
  /** Reports whether events arrive. Also called with false when the stream cannot be opened. */
  onLive: (live: boolean) => void;
  /** Called when the stream broke or could not be opened. It is retried. */
  onError: (error: unknown) => void;
  /** Between 0 and 1: spreads the reconnects of many clients. */
  random?: () => number;
  /** A stream is dead after this long without data. The server sends something every ten seconds. */
  silenceMs?: number;
};

const maxSilenceMs = 25_000;
const firstWaitMs = 250;
const maxWaitMs = 10_000;
/** A stream that was open for this long resets the backoff. */
const healthyAfterMs = 10_000;

export class EventStream {
  readonly #options: OpencodeEventStreamOptions;
  #running: Promise<void> | null = null;
  #connection = new AbortController();
  #closed = false;
  #endWait = () => {};

  constructor(options: OpencodeEventStreamOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the wait before the next attempt, for when the server is likely to answer now. */
  retryNow(): void {
    this.#endWait();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.abort();
    this.#endWait();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random = Math.random } = this.#options;
    for (let failures = 0; !this.#closed; failures += 1) {
      if (await this.#follow()) failures = 0;
      const ms = Math.min(firstWaitMs * 2 ** failures, maxWaitMs);
      if (!this.#closed) await this.#wait(ms * (0.5 + random() / 2));
    }
  }

  /** Follows one connection until it ends. True if it was healthy for a while. */
  async #follow(): Promise<boolean> {
    const { api, clock, onLive, onError, onGap, silenceMs = maxSilenceMs } = this.#options;
    const connection = new AbortController();
    this.#connection = connection;
    const onSilence = () => connection.abort(new Error(`no event for ${silenceMs / 1000} s, not even a heartbeat`));
    let cancelSilence = clock.at(clock.now() + silenceMs, onSilence);
    let live = false;
    let openedAt: number | null = null;
    try {
      const body = await api.events(connection.signal);
      openedAt = clock.now();
      onGap();
      await this.#read(body, () => {
        cancelSilence();
        cancelSilence = clock.at(clock.now() + silenceMs, onSilence);
        // The server sends data immediately, so an open stream without data does not count as live.
        if (!live) onLive(true);
        live = true;
      });
      if (!this.#closed) onError(new Error("the event stream ended"));
    } catch (error) {
      if (!this.#closed) onError(error);
    } finally {
      onLive(false);
      cancelSilence();
      connection.abort();
    }
    return openedAt !== null && clock.now() - openedAt >= healthyAfterMs;
  }

  async #read(body: AsyncIterable<Uint8Array>, onData: () => void): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        const event = eventFrom(data);
        if (event) this.#options.onEvent(event);
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      onData();
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Events come in an envelope that names the directory. Null for an unreadable event. */
function eventFrom(data: string): OpencodeEvent | null {
  const parsed = jsonIn(data);
  const { id, type, properties } = asObject(parsed?.payload) ?? parsed ?? {};
  if (typeof type !== "string") return null;
  return { ...(typeof id === "string" ? { id } : {}), type, properties: asObject(properties) ?? {} };
}
