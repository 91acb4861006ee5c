/**
 * Sends what people elsewhere are to read: rows that are durable, in order within a channel, each until the other side has
 * taken it. Channels do not wait for each other. A row is sent a second time only when the process dies between the other
 * side's answer and the commit that follows it.
 *
 * Between two rows a channel carries previews, such as an answer that is still being written. They are not kept, and
 * never overtake a row.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import { sleep } from "../../clock.ts";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { Delivered } from "./delivered.ts";
import { changeAfter } from "./delivered.ts";
import type { OutboxChange, OutboxRow, TransportBox } from "./transport-box.ts";

export type { Delivered } from "./delivered.ts";

export type OutboxDeps = {
  box: Pick<TransportBox, "head" | "heads" | "change">;
  clock: Clock;
  deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivered>;
  /** Whether a row that waits for its next try may be tried as soon as its channel can be reached. All may, by default. */
  mayRetryNow?: (row: OutboxRow) => boolean;
  /** A row was given up, or has to wait; told for each try. */
  onProblem: (row: OutboxRow, problem: Extract<Delivered, { reason: string }>) => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

/** The newest one counts; it is called with a signal that a closing outbox aborts. */
export type Preview = (signal: AbortSignal) => Promise<void>;

type Channel = {
  running: Promise<void> | null;
  isStale: boolean;
  /** Somebody has seen that the channel can be reached. */
  isReachable: boolean;
  previews: Map<string, Preview>;
  cancelTimer: () => void;
};

/** When the store could not take what became of a row. The row is not sent again meanwhile. */
const commitAgainMs = 1000;
/** How long a closing outbox waits for the calls that run. One that is aborted may have been taken. */
const closeMs = 3000;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #channels = new Map<string, Channel>();
  /** By seq. A channel that is renamed shows its rows under another name while one of them is being sent. */
  readonly #sending = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #aborting = new AbortController();

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Sends what an earlier run left. A restart may have mended what held it up. */
  async start(): Promise<void> {
    for (const { channel } of await this.#deps.box.heads()) this.retryNow(channel);
  }

  /** Rows were written for this channel. */
  wake(channel: string): void {
    this.#pump(channel, this.#channel(channel));
  }

  /** The channel can be reached: what waits for its next try is sent now. */
  retryNow(channel: string): void {
    const found = this.#channel(channel);
    found.isReachable = true;
    this.#pump(channel, found);
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

  /** Begins nothing new, and gives calls that run a moment to end. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { cancelTimer } of this.#channels.values()) cancelTimer();
    const cancel = this.#deps.clock.at(this.#deps.clock.now() + closeMs, () => this.#aborting.abort());
    await Promise.all([...this.#channels.values()].map(({ running }) => running));
    cancel();
  }

  #channel(name: string): Channel {
    const known = this.#channels.get(name);
    if (known) return known;
    const made = { running: null, isStale: false, isReachable: false, previews: new Map(), cancelTimer: () => {} };
    this.#channels.set(name, made);
    return made;
  }

  #pump(name: string, channel: Channel): void {
    channel.isStale = true;
    if (channel.running || this.#closing.signal.aborted) return;
    channel.running = this.#sendDue(name, channel).finally(() => {
      channel.running = null;
      if (channel.isStale) this.#pump(name, channel);
    });
  }

  async #sendDue(name: string, channel: Channel): Promise<void> {
    const { box, clock, onError, mayRetryNow = () => true } = this.#deps;
    try {
      while (!this.#closing.signal.aborted) {
        channel.isStale = false;
        channel.cancelTimer();
        const { isReachable } = channel;
        channel.isReachable = false;
        const row = await box.head(name);
        if (row && (row.nextTryAt <= clock.now() || (isReachable && mayRetryNow(row)))) {
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
      if (this.#closing.signal.aborted) return;
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
      if (!this.#closing.signal.aborted) this.#deps.onError({ error });
    }
    // One that asks for the next at once must not keep everything else from running.
    await nextTurn();
    return true;
  }

  /** Once at a time for each row, whatever its channel is called meanwhile. */
  async #send(row: OutboxRow): Promise<void> {
    const running = this.#sending.get(row.seq);
    if (running) return running;
    const sending = this.#sendNow(row).finally(() => this.#sending.delete(row.seq));
    this.#sending.set(row.seq, sending);
    return sending;
  }

  async #sendNow(row: OutboxRow): Promise<void> {
    const { clock, onProblem, failPoint } = this.#deps;
    const delivered = await this.#delivered(row);
    if (this.#aborting.signal.aborted && delivered.outcome === "later") return;
    if (delivered.outcome === "later" || delivered.outcome === "failed") onProblem(row, delivered);
    failPoint?.("outbox.sent");
    await this.#commit(row.seq, changeAfter(row, delivered, clock.now()));
    failPoint?.("outbox.committed");
    if (delivered.outcome === "moved") this.wake(delivered.to);
  }

  async #delivered(row: OutboxRow): Promise<Delivered> {
    try {
      return await this.#deps.deliver(row, this.#aborting.signal);
    } catch (error) {
      if (!this.#aborting.signal.aborted) this.#deps.onError({ error });
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
