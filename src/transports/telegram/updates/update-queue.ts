/**
 * Handles durable updates: each once, in order within a topic, and again after a crash. The result and the mark that
 * the update was handled are one commit. Buttons and most commands do not wait.
 */
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import { backoffMs } from "../../../mail/outbox/backoff.ts";
import type { TransportBox, TransportWrites, Update } from "../../../mail/outbox/transport-box.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import { sleep } from "../../../platform/clock.ts";
import type { Handled, StoredUpdate } from "../telegram-context.ts";
import type { Incoming } from "./read-update.ts";
import { readUpdate, updateId } from "./read-update.ts";

export type UpdateQueueDeps = {
  box: Pick<TransportBox, "write" | "unhandled">;
  clock: Clock;
  /** An update was accepted, and will be handled when its turn comes. */
  onTaken: (incoming: Incoming, id: string) => void;
  /** Updates with the same key are handled in order; null for one that does not wait. */
  orderOf: (incoming: Incoming) => string | null;
  handle: (incoming: Incoming, update: StoredUpdate) => Promise<Handled>;
  /** Called instead of `handle` after too many failures. */
  giveUp: (incoming: Incoming, update: StoredUpdate) => Handled;
  wake: (channel: string) => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

/** How many non-retryable errors before giving up on an update. */
const maxFailures = 5;

export class UpdateQueue {
  readonly #deps: UpdateQueueDeps;
  readonly #closing = new AbortController();
  /** The last update of each order. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: UpdateQueueDeps) {
    this.#deps = deps;
  }

  /** Handles the updates that an earlier process stored but did not handle. */
  async start(): Promise<void> {
    for (const update of await this.#deps.box.unhandled()) this.#enqueue(update, true);
  }

  /** Resolves when the updates are durable. Updates that were taken before are skipped. */
  async take(bodies: readonly unknown[], state: readonly { key: string; value: unknown }[]): Promise<void> {
    const { box, clock, failPoint } = this.#deps;
    const updates = bodies.flatMap((body) => {
      const id = updateId(body);
      return id === null ? [] : [{ id: String(id), body }];
    });
    const added = new Set(await box.write({ updates, state }));
    failPoint?.("update.stored");
    const receivedAt = clock.now();
    for (const { id, body } of updates) if (added.delete(id)) this.#enqueue({ id, body, receivedAt }, false);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  #enqueue({ id, body, receivedAt }: Update, isAgain: boolean): void {
    const incoming = readUpdate(body);
    this.#deps.onTaken(incoming, id);
    const order = this.#deps.orderOf(incoming);
    const before = order === null ? Promise.resolve() : (this.#ends.get(order) ?? Promise.resolve());
    const done = before.then(() => this.#handle(incoming, { id, receivedAt, isAgain }));
    if (order !== null) {
      this.#ends.set(order, done);
      void done.then(() => {
        if (this.#ends.get(order) === done) this.#ends.delete(order);
      });
    }
    this.#running.add(done);
    void done.then(() => this.#running.delete(done));
  }

  async #handle(incoming: Incoming, update: StoredUpdate): Promise<void> {
    const handled = await this.#outcomeOf(incoming, update);
    if (!handled) return;
    const { after, alsoHandled = [], ...writes } = handled;
    this.#deps.failPoint?.("update.admitted");
    if (!(await this.#commit({ ...writes, handled: [update.id, ...alsoHandled] }))) return;
    this.#deps.failPoint?.("update.handled");
    const channels = [...(writes.outbox ?? []).map((row) => row.channel), ...(writes.moved ? [writes.moved.to] : [])];
    for (const channel of new Set(channels)) this.#deps.wake(channel);
    try {
      await after?.();
    } catch (error) {
      // The update still counts as handled.
      this.#deps.onError({ error });
    }
  }

  /** Null if the queue closes first: the update stays unhandled for the next process. */
  async #outcomeOf(incoming: Incoming, update: StoredUpdate): Promise<Handled | null> {
    const { clock, handle, giveUp, onError, failPoint } = this.#deps;
    let failures = 0;
    for (let tries = 1; !this.#closing.signal.aborted; tries++) {
      failPoint?.("update.handling");
      try {
        const now = { ...update, isAgain: update.isAgain || tries > 1 };
        return failures < maxFailures ? await handle(incoming, now) : giveUp(incoming, now);
      } catch (error) {
        const isRetryable = error instanceof AppError && error.retryable;
        if (isRetryable && error.code === "draining") return null;
        // A store that is full for an hour must not cause people's messages to be refused.
        if (!isRetryable) failures += 1;
        onError({ error });
        await sleep(clock, backoffMs(tries), this.#closing.signal);
      }
    }
    return null;
  }

  /** Repeats the same writes until durable. Handling again could see its own changes in memory and omit them. */
  async #commit(writes: TransportWrites): Promise<boolean> {
    const { box, clock, onError } = this.#deps;
    for (let tries = 1; !this.#closing.signal.aborted; tries++) {
      try {
        await box.write(writes);
        return true;
      } catch (error) {
        onError({ error });
        await sleep(clock, backoffMs(tries), this.#closing.signal);
      }
    }
    return false;
  }
}
