/**
 * Handles updates that are durable: each once, in their order within a topic, and again after a crash. What handling comes to
 * and the mark that it was handled are one commit. Buttons and commands wait for nothing.
 */
import { AppError } from "../../../app-error.ts";
import type { Clock } from "../../../clock.ts";
import { sleep } from "../../../clock.ts";
import { backoffMs } from "../../../mail/outbox/backoff.ts";
import type { TransportBox, Update } from "../../../mail/outbox/transport-box.ts";
import type { Handled } from "../telegram-context.ts";
import type { Incoming } from "./read-update.ts";
import { readUpdate, updateId } from "./read-update.ts";

/** `isAgain`: an earlier run may have handled it already, and died before that was durable. */
export type StoredUpdate = { id: string; receivedAt: number; isAgain: boolean };

export type UpdateQueueDeps = {
  box: TransportBox;
  clock: Clock;
  /** An update is known, and will be handled when its turn comes. */
  onTaken: (incoming: Incoming, id: string) => void;
  /** What has to keep its order; null for what waits for nothing. */
  orderOf: (incoming: Incoming) => string | null;
  handle: (incoming: Incoming, update: StoredUpdate) => Promise<Handled>;
  /** In place of `handle`, when that has failed too often. */
  giveUp: (incoming: Incoming, update: StoredUpdate) => Handled;
  wake: (channel: string) => void;
  onError: (failure: { error: unknown }) => void;
};

const maxTries = 5;

export class UpdateQueue {
  readonly #deps: UpdateQueueDeps;
  readonly #closing = new AbortController();
  /** The end of what runs in each order. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: UpdateQueueDeps) {
    this.#deps = deps;
  }

  /** Goes on with what an earlier run took and did not handle. */
  async start(): Promise<void> {
    for (const update of await this.#deps.box.unhandled()) this.#enqueue(update, true);
  }

  /** Resolves when they are durable. What was taken before is known by its id, and left alone. */
  async take(bodies: readonly unknown[], state: readonly { key: string; value: unknown }[]): Promise<void> {
    const { box, clock } = this.#deps;
    const updates = bodies.flatMap((body) => {
      const id = updateId(body);
      return id === null ? [] : [{ id: String(id), body }];
    });
    const added = new Set(await box.write({ updates, state }));
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
    const { clock, onError } = this.#deps;
    for (let tries = 1; !this.#closing.signal.aborted; tries++) {
      try {
        return await this.#handleOnce(incoming, update, tries > maxTries);
      } catch (error) {
        // It stays unhandled, and the next run takes it up.
        if (error instanceof AppError && error.code === "draining") return;
        onError({ error });
        await sleep(clock, backoffMs(tries), this.#closing.signal);
      }
    }
  }

  async #handleOnce(incoming: Incoming, update: StoredUpdate, isLastResort: boolean): Promise<void> {
    const { box, handle, giveUp, wake } = this.#deps;
    const {
      after,
      alsoHandled = [],
      ...writes
    } = isLastResort ? giveUp(incoming, update) : await handle(incoming, update);
    await box.write({ ...writes, handled: [update.id, ...alsoHandled] });
    for (const channel of new Set(writes.outbox?.map((row) => row.channel))) wake(channel);
    try {
      await after?.();
    } catch (error) {
      // The update is handled all the same.
      this.#deps.onError({ error });
    }
  }
}
