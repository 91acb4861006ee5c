/**
 * Sends what people elsewhere are to read: rows that are durable, in order within a channel, each until the other side has
 * taken it. Channels do not wait for each other. A row is sent a second time only when the process dies between the other
 * side's answer and the commit that follows it.
 *
 * Between two rows a channel carries previews, such as an answer that is still being written. They are not kept, and
 * never overtake a row.
 */
import type { Clock } from "../../clock.ts";
import { sleep } from "../../clock.ts";
import { backoffMs } from "./backoff.ts";
import type { OutboxChange, OutboxRow, TransportBox } from "./transport-box.ts";

/**
 * `part`: one part was taken, and there are more. `later`: try again, after `afterMs` or the back-off. `failed`: it will never
 * be taken. A `ref` is what the other side calls the part.
 */
export type Delivered =
  | { outcome: "sent"; ref: unknown }
  | { outcome: "part"; ref: unknown }
  | { outcome: "later"; afterMs: number | null; reason: string }
  | { outcome: "failed"; reason: string };

export type OutboxDeps = {
  box: TransportBox;
  clock: Clock;
  deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivered>;
  /** A row was given up, or has to wait; told for each try. */
  onProblem: (row: OutboxRow, problem: Extract<Delivered, { reason: string }>) => void;
  onError: (failure: { error: unknown }) => void;
};

/** The newest one counts; it is called with a signal that a closing outbox aborts. */
export type Preview = (signal: AbortSignal) => Promise<void>;

type Channel = {
  running: Promise<void> | null;
  isStale: boolean;
  previews: Map<string, Preview>;
  cancelTimer: () => void;
};

/** When the store could not take what became of a row. The row is not sent again meanwhile. */
const commitAgainMs = 1000;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #channels = new Map<string, Channel>();
  readonly #closing = new AbortController();

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Sends what an earlier run left. */
  async start(): Promise<void> {
    for (const { channel } of await this.#deps.box.heads()) this.wake(channel);
  }

  /** Rows were written for this channel. */
  wake(channel: string): void {
    this.#pump(channel, this.#channel(channel));
  }

  /** The channel can be reached again: what waits for its next try is sent now. */
  async retryNow(channel: string): Promise<void> {
    const head = await this.#deps.box.head(channel);
    if (!head) return;
    await this.#deps.box.change(head.seq, { ...changeOf(head), nextTryAt: this.#deps.clock.now() });
    this.wake(channel);
  }

  /** Shows something that is not kept, once no row is due. It replaces a preview of the same name. */
  preview(channel: string, name: string, show: Preview): void {
    const found = this.#channel(channel);
    found.previews.set(name, show);
    this.#pump(channel, found);
  }

  dropPreview(channel: string, name: string): void {
    this.#channels.get(channel)?.previews.delete(name);
  }

  /** Resolves when nothing is due in the channel, or after `ms`. */
  async settled(channel: string, ms: number): Promise<void> {
    const running = this.#channels.get(channel)?.running;
    if (running) await Promise.race([running, sleep(this.#deps.clock, ms, this.#closing.signal)]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const { cancelTimer } of this.#channels.values()) cancelTimer();
    await Promise.all([...this.#channels.values()].map(({ running }) => running));
  }

  #channel(name: string): Channel {
    const known = this.#channels.get(name);
    if (known) return known;
    const made: Channel = { running: null, isStale: false, previews: new Map(), cancelTimer: () => {} };
    this.#channels.set(name, made);
    return made;
  }

  #pump(name: string, channel: Channel): void {
    channel.isStale = true;
    if (channel.running || this.#closing.signal.aborted) return;
    channel.cancelTimer();
    channel.running = this.#sendDue(name, channel).finally(() => {
      channel.running = null;
      if (channel.isStale) this.#pump(name, channel);
    });
  }

  async #sendDue(name: string, channel: Channel): Promise<void> {
    const { box, clock, onError } = this.#deps;
    try {
      while (!this.#closing.signal.aborted) {
        channel.isStale = false;
        const row = await box.head(name);
        if (row && row.nextTryAt <= clock.now()) {
          await this.#send(row);
          continue;
        }
        if (row) channel.cancelTimer = clock.at(row.nextTryAt, () => this.#pump(name, channel));
        // A row that has to wait holds previews up, too: the other side wants silence, or cannot be reached.
        else if (await this.#showPreview(channel)) continue;
        if (!channel.isStale) return;
      }
    } catch (error) {
      onError({ error });
      channel.isStale = false;
      channel.cancelTimer = clock.at(clock.now() + commitAgainMs, () => this.#pump(name, channel));
    }
  }

  async #showPreview(channel: Channel): Promise<boolean> {
    const [next] = channel.previews;
    if (!next) return false;
    const [name, show] = next;
    channel.previews.delete(name);
    try {
      await show(this.#closing.signal);
    } catch (error) {
      this.#deps.onError({ error });
    }
    return true;
  }

  async #send(row: OutboxRow): Promise<void> {
    const { clock, onProblem } = this.#deps;
    const delivered = await this.#delivered(row);
    if (this.#closing.signal.aborted && delivered.outcome === "later") return;
    if (delivered.outcome === "later" || delivered.outcome === "failed") onProblem(row, delivered);
    await this.#commit(row.seq, changeAfter(row, delivered, clock.now()));
  }

  async #delivered(row: OutboxRow): Promise<Delivered> {
    try {
      return await this.#deps.deliver(row, this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#deps.onError({ error });
      return { outcome: "later", afterMs: null, reason: "unexpected_error" };
    }
  }

  /** Until it is durable: what the other side has taken must not be sent again. */
  async #commit(seq: number, change: OutboxChange): Promise<void> {
    const { box, clock, onError } = this.#deps;
    for (;;) {
      try {
        return await box.change(seq, change);
      } catch (error) {
        onError({ error });
        if (this.#closing.signal.aborted) return;
        await sleep(clock, commitAgainMs, this.#closing.signal);
      }
    }
  }
}

function changeOf({ state, refs, attempts, nextTryAt, reason }: OutboxRow): OutboxChange {
  return { state, refs, attempts, nextTryAt, reason };
}

function changeAfter(row: OutboxRow, delivered: Delivered, now: number): OutboxChange {
  const before = changeOf(row);
  switch (delivered.outcome) {
    case "sent":
      return { ...before, state: "sent", refs: [...row.refs, delivered.ref], reason: null };
    case "part":
      return { ...before, refs: [...row.refs, delivered.ref], attempts: 0, nextTryAt: now, reason: null };
    case "later": {
      const attempts = row.attempts + 1;
      const nextTryAt = now + (delivered.afterMs ?? backoffMs(attempts));
      return { ...before, attempts, nextTryAt, reason: delivered.reason };
    }
    case "failed":
      return { ...before, state: "failed", reason: delivered.reason };
    default:
      return delivered satisfies never;
  }
}
