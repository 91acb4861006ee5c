/**
 * Sends messages to people outside Waybill. Rows are durable and sent in order within a channel, each until the other
 * side has taken it. Channels do not wait for each other. A row is sent twice only if the process dies between the
 * other side's answer and the commit that follows.
 *
 * Between two rows a channel carries previews, such as an answer that is still being written. They are not kept, and
 * never overtake a row.
 */
import { setMaxListeners } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { Clock } from "../../platform/clock.ts";
import { sleep } from "../../platform/clock.ts";
import { backoffMs } from "./backoff.ts";
import type { OutboxChange, OutboxRow, TransportBox } from "./transport-box.ts";

export type OutboxDeps = {
  box: Pick<TransportBox, "head" | "heads" | "change">;
  clock: Clock;
  deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivered>;
  /** Whether a row that waits for its next try may be sent as soon as its channel is reachable. Default: always. */
  mayRetryNow?: (row: OutboxRow) => boolean;
  /** A row failed for good, or has to wait. Called for each try. */
  onProblem: (row: OutboxRow, problem: Extract<Delivered, { reason: string }>) => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

/** Only the newest preview of a name is shown. The signal aborts when the outbox closes. */
export type Preview = (signal: AbortSignal) => Promise<void>;

type Channel = {
  running: Promise<void> | null;
  isStale: boolean;
  /** Something showed that the channel is reachable. */
  isReachable: boolean;
  previews: Map<string, Preview>;
  cancelTimer: () => void;
};

/** The pause after the store failed to commit a row's result. The row is not sent again before that. */
const commitAgainMs = 1000;
/** How long a closing outbox waits for running calls. The other side may have taken a row whose call was aborted. */
const closeMs = 3000;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #channels = new Map<string, Channel>();
  /** By seq: a row's channel may be renamed while the row is being sent. */
  readonly #sending = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #aborting = new AbortController();

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    // Every channel may have a call under way, and each of them listens.
    setMaxListeners(0, this.#closing.signal, this.#aborting.signal);
  }

  /** Sends the rows that an earlier run left. The restart may have fixed what held them up. */
  async start(): Promise<void> {
    for (const { channel } of await this.#deps.box.heads()) this.retryNow(channel);
  }

  /** Call after rows were written for this channel. */
  wake(channel: string): void {
    this.#pump(channel, this.#channel(channel));
  }

  /** The channel is reachable: sends the row that waits for its next try. */
  retryNow(channel: string): void {
    const found = this.#channel(channel);
    found.isReachable = true;
    this.#pump(channel, found);
  }

  /** Shows something that is not kept, once no row is due. Replaces the preview of the same name. */
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

  /** Starts nothing new, and gives running calls a moment to finish. */
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
        // A row that has to wait also holds up previews: the other side wants silence, or is unreachable.
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
    // A preview that immediately asks for the next one must not starve everything else.
    await nextTurn();
    return true;
  }

  /** One call at a time for each row, even if its channel is renamed. */
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

  /** Repeats until it is durable: a row that the other side has taken must not be sent again. */
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

/**
 * `part`: one part was taken, more follow. `later`: try again after `afterMs`, or after the backoff. `moved`: the
 * channel was renamed and the row moved there. `failed`: the other side will never take it. `ref` is the other side's
 * id of the part.
 */
export type Delivered =
  | { outcome: "sent"; ref: unknown }
  | { outcome: "part"; ref: unknown }
  | { outcome: "later"; afterMs: number | null; reason: string }
  | { outcome: "moved"; to: string }
  | { outcome: "failed"; reason: string };

/** The change to store for the result of a try. */
function changeAfter(row: OutboxRow, delivered: Delivered, now: number): OutboxChange {
  const { state, refs, attempts, nextTryAt, reason } = row;
  const before: OutboxChange = { state, refs, attempts, nextTryAt, reason };
  switch (delivered.outcome) {
    case "sent":
      return { ...before, state: "sent", refs: [...refs, delivered.ref], reason: null };
    case "part":
      return { ...before, refs: [...refs, delivered.ref], attempts: 0, nextTryAt: now, reason: null };
    case "later": {
      const failed = attempts + 1;
      const afterMs = delivered.afterMs ?? backoffMs(failed);
      return { ...before, attempts: failed, nextTryAt: now + afterMs, reason: delivered.reason };
    }
    case "moved":
      return { ...before, nextTryAt: now, reason: "moved" };
    case "failed":
      return { ...before, state: "failed", reason: delivered.reason };
    default:
      return delivered satisfies never;
  }
}
