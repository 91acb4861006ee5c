/**
 * Keeps one OpenCode server for all directories: gets one, notices when it dies or hangs, and brings it back with
 * growing waits. What Waybill started ends with `close`, all of it; what somebody else started is never ended.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError, messageOf } from "../../../app-error.ts";
import { endProcessTree } from "../../process/process-tree.ts";
import type { ObtainedServer, ObtainOptions, ServerAddress } from "./obtain-server.ts";
import { adoptServer, attachServer, startOwnServer } from "./obtain-server.ts";
import { probe } from "./probe.ts";
import { keepOutputSmall } from "./server-output.ts";
import type { OwnServer } from "./server-process.ts";
import { removeServerRecord } from "./server-record.ts";
import type { ServerTimes } from "./server-times.ts";
import { defaultServerTimes, nextWait } from "./server-times.ts";
import { whenEnded } from "./watch-server.ts";

export type { ServerAddress } from "./obtain-server.ts";

/** For the log; nothing in it is secret. */
export type ServerEvent =
  | { type: "opencode_started" | "opencode_adopted" | "opencode_attached"; url: string; pid: number | null }
  | { type: "opencode_lost"; why: string }
  | { type: "opencode_ended"; pid: number | null }
  | { type: "opencode_output_unbounded"; why: string }
  | { type: "opencode_unavailable"; code: string | null; why: string; nextTryMs: number };

export type KeeperOptions = Omit<ObtainOptions, "times" | "signal" | "extraEnv"> & {
  extraEnv?: Readonly<Record<string, string>>;
  times?: Partial<ServerTimes>;
  onEvent?: (event: ServerEvent) => void;
};

type Running = ObtainedServer & { since: number; unwatch: () => void };

export class ServerKeeper {
  readonly #options: ObtainOptions;
  readonly #onEvent: (event: ServerEvent) => void;
  readonly #listeners = new Set<(address: ServerAddress | null) => void>();
  readonly #closing = new AbortController();
  #running: Running | null = null;
  #trouble = "The OpenCode server has not been started yet.";
  #first: Promise<ServerAddress> | null = null;
  /** The tries that are under way; never rejects. */
  #work: Promise<void> = Promise.resolve();
  #suspicion: Promise<void> | null = null;
  #failures = 0;
  #mayStartAt = 0;
  #closed: Promise<void> | null = null;

  constructor({ times, extraEnv = {}, onEvent = () => {}, ...options }: KeeperOptions) {
    this.#options = {
      ...options,
      extraEnv,
      times: { ...defaultServerTimes, ...times },
      signal: this.#closing.signal,
    };
    this.#onEvent = onEvent;
  }

  /**
   * Settles when the first try is over; before that, whatever an earlier run left behind was taken over or ended. If the
   * try failed it rejects with an `AppError`, and the tries go on all the same: `onChange` tells of the one that works.
   */
  start(): Promise<ServerAddress> {
    if (this.#first) return this.#first;
    this.#first = this.#obtain().catch((error) => {
      throw this.#closing.signal.aborted ? stopping() : error;
    });
    this.#work = this.#first.then(
      () => {},
      (error) => this.#bringBack(error),
    );
    return this.#first;
  }

  /** Null while there is none that works. */
  address(): ServerAddress | null {
    return this.#running?.address ?? null;
  }

  onChange(listener: (address: ServerAddress | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Null when there is a server, else why there is none. */
  health(): string | null {
    return this.#running ? null : this.#trouble;
  }

  /** To be told when requests fail: looks whether the server still answers. Settles when that is known. */
  suspect(): Promise<void> {
    this.#suspicion ??= this.#look().finally(() => {
      this.#suspicion = null;
    });
    return this.#suspicion;
  }

  /** With `keep` the server goes on, and the next run takes it over. */
  close({ keep = false }: { keep?: boolean } = {}): Promise<void> {
    this.#closed ??= this.#close(keep);
    return this.#closed;
  }

  async #close(keep: boolean): Promise<void> {
    this.#closing.abort();
    await this.#suspicion;
    await this.#work;
    const running = this.#running;
    this.#trouble = stopping().message;
    if (!running) return;
    this.#forget(running);
    if (keep) running.own?.child?.unref();
    else if (running.own) await this.#end(running.own);
  }

  /** One try. */
  async #obtain(): Promise<ServerAddress> {
    const server = await this.#oneOfThree();
    const { address, how } = server;
    const lost = (why: string) => this.#lose(running, why);
    const unwatch = server.own ? this.#watch(server.own, lost) : () => {};
    const running = { ...server, unwatch, since: performance.now() };
    this.#running = running;
    this.#onEvent({ type: `opencode_${how}`, url: address.url, pid: address.pid });
    this.#tell();
    return address;
  }

  #watch(own: OwnServer, lost: (why: string) => void): () => void {
    const unwatch = whenEnded(own, this.#options.times.watchMs, lost);
    const stop = keepOutputSmall(this.#options.directory, (error) =>
      this.#onEvent({ type: "opencode_output_unbounded", why: messageOf(error) }),
    );
    return () => {
      unwatch();
      stop();
    };
  }

  async #oneOfThree(): Promise<ObtainedServer> {
    // Not only the first time: one that did not end in time is still written down.
    const adopted = await adoptServer(this.#options);
    if (adopted) return adopted;
    const attached = await attachServer(this.#options);
    if (attached) return attached;
    if (performance.now() < this.#mayStartAt) {
      throw new Error(`The OpenCode server at ${this.#options.settings.opencodeAttachUrl} has gone away.`);
    }
    return startOwnServer(this.#options);
  }

  /** Tries until there is a server, or until it is closed. */
  async #bringBack(reason: unknown): Promise<void> {
    for (let why = reason; !this.#closing.signal.aborted; ) {
      this.#trouble = errorOf(why);
      const nextTryMs = nextWait(this.#failures, this.#options.times);
      this.#failures += 1;
      const code = why instanceof AppError ? why.code : null;
      this.#onEvent({ type: "opencode_unavailable", code, why: messageOf(why), nextTryMs });
      try {
        await wait(nextTryMs, undefined, { signal: this.#closing.signal });
        await this.#obtain();
        return;
      } catch (error) {
        why = error;
      }
    }
  }

  /** A server that leaves several questions in a row unanswered hangs, whatever its process says. */
  async #look(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { url, authorization } = running.address;
    const { probes, probeMs: deadlineMs } = this.#options.times;
    for (let asked = 0; asked < probes; asked += 1) {
      const answer = await probe(url, { authorization, deadlineMs, signal: this.#closing.signal });
      if (answer.is === "healthy" || this.#closing.signal.aborted || this.#running !== running) return;
      // What is not there will not be there for asking again.
      if (answer.is !== "silent") break;
    }
    this.#lose(running, "It does not answer any more.");
  }

  #lose(running: Running, why: string): void {
    if (this.#running !== running || this.#closing.signal.aborted) return;
    const { healthyAfterMs, attachedAwayMs } = this.#options.times;
    if (performance.now() - running.since >= healthyAfterMs) this.#failures = 0;
    if (!running.own) this.#mayStartAt = performance.now() + attachedAwayMs;
    this.#trouble = `The OpenCode server is being brought back. ${why}`;
    this.#onEvent({ type: "opencode_lost", why });
    this.#forget(running);
    this.#work = this.#replace(running.own, why);
  }

  /** Whatever is left of a server goes first: its tools would work on beside those of the next one. */
  async #replace(own: OwnServer | null, why: string): Promise<void> {
    try {
      if (own) await this.#end(own);
    } catch (error) {
      // The record is still there, and the next try begins with it.
      return this.#bringBack(error);
    }
    return this.#bringBack(new Error(`The OpenCode server is being brought back. ${why}`));
  }

  async #end({ record }: OwnServer): Promise<void> {
    await endProcessTree(record, this.#options.times.endMs);
    removeServerRecord(this.#options.directory);
    this.#onEvent({ type: "opencode_ended", pid: record.pid });
  }

  #forget(running: Running): void {
    running.unwatch();
    this.#running = null;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.address());
  }
}

const stopping = () => new AppError({ code: "opencode_stopping", message: "Waybill is stopping." });

/** With the next step, for people. */
function errorOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message} ${error.hint}` : messageOf(error);
}
