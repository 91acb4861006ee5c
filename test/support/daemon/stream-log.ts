/** Records everything from the daemon's stream, and lets tests wait for it. It survives a daemon restart. */
import type { StreamEvent, WaybillClient } from "../../../src/client/index.ts";

type OfType<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;

/** Bounds a hang. */
const timeoutMs = 60_000;

export class StreamLog {
  readonly events: StreamEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #failure: unknown = null;

  /** Resolves when it is connected, so that nothing is missed. */
  async open(client: WaybillClient, types?: readonly string[]): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      const stream = client.stream({ types, signal: this.#closing.signal, onOpen: resolve });
      this.#follow(stream).catch((error) => {
        this.#failure = error;
        reject(error);
        this.#wake();
      });
    });
    return this;
  }

  /** From an index on. */
  of<T extends StreamEvent["type"]>(type: T, from = 0): OfType<T>[] {
    return this.events.slice(from).filter((event): event is OfType<T> => event.type === type);
  }

  /** The first matching event from an index on, including past events. */
  async until<T extends StreamEvent["type"]>(
    type: T,
    fits: (event: OfType<T>) => boolean,
    from = 0,
  ): Promise<OfType<T>> {
    const deadline = AbortSignal.timeout(timeoutMs);
    deadline.addEventListener("abort", () => this.#wake(), { once: true });
    for (;;) {
      const found = this.of(type, from).find(fits);
      if (found) return found;
      if (this.#failure) throw this.#failure;
      if (deadline.aborted) throw new Error(`no ${type} for which ${fits}:\n${this.#last()}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(stream: AsyncIterable<StreamEvent>): Promise<void> {
    for await (const event of stream) {
      this.events.push(event);
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #last(): string {
    const last = this.events.slice(-20).map((event) => JSON.stringify(event).slice(0, 300));
    return last.join("\n");
  }
}
