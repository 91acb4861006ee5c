/**
 * Supervises one OpenCode server for all directories: acquires it, notices when it dies or hangs, and replaces it with
 * backoff. `close` ends a server that Waybill started, with all its child processes; an attached server is never ended.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import { endProcessTree } from "../../process/process-tree.ts";
import type { AcquiredServer, AcquireOptions, ServerAddress } from "./acquire-server.ts";
import { adoptServer, attachServer, startOwnServer } from "./acquire-server.ts";
import { probe } from "./probe-server.ts";
import type { OwnServer, ServerTimes } from "./server-process.ts";
import { boundOutput, defaultServerTimes, nextWait, onServerExit } from "./server-process.ts";
import { removeServerRecord } from "./server-record.ts";

export type { ServerAddress } from "./acquire-server.ts";

/** For the log; contains no secrets. */
export type ServerEvent =
  | { type: "opencode_started" | "opencode_adopted" | "opencode_attached"; url: string; pid: number | null }
  | { type: "opencode_lost"; why: string }
  | { type: "opencode_ended"; pid: number | null }
  | { type: "opencode_output_unbounded"; why: string }
  | { type: "opencode_unavailable"; code: string | null; why: string; nextTryMs: number };

export type ServerSupervisorOptions = Omit<AcquireOptions, "times" | "signal" | "extraEnv"> & {
  extraEnv?: Readonly<Record<string, string>>;
  times?: Partial<ServerTimes>;
  onEvent?: (event: ServerEvent) => void;
};

type Running = AcquiredServer & { since: number; unwatch: () => void };

export class ServerSupervisor {
  readonly #options: AcquireOptions;
  readonly #onEvent: (event: ServerEvent) => void;
  readonly #listeners = new Set<(address: ServerAddress | null) => void>();
  readonly #closing = new AbortController();
  #running: Running | null = null;
  #problem = "The OpenCode server has not been started yet.";
  #firstAttempt: Promise<ServerAddress> | null = null;
  /** The attempts in progress; never rejects. */
  #attempts: Promise<void> = Promise.resolve();
  #healthCheck: Promise<void> | null = null;
  #failures = 0;
  #lost = 0;
  #mayStartAt = 0;
  #closed: Promise<void> | null = null;

  constructor({ times, extraEnv = {}, onEvent = () => {}, ...options }: ServerSupervisorOptions) {
    const signal = this.#closing.signal;
    this.#options = { ...options, extraEnv, times: { ...defaultServerTimes, ...times }, signal };
    this.#onEvent = onEvent;
  }

  /**
   * Settles after the first attempt. By then, a server left over from an earlier run is adopted or ended. If the
   * attempt fails, rejects with an `AppError` and keeps trying: `onChange` reports when a server works.
   */
  start(): Promise<ServerAddress> {
    if (this.#firstAttempt) return this.#firstAttempt;
    this.#firstAttempt = this.#attempt().catch((error) => {
      throw this.#closing.signal.aborted ? stopping() : error;
    });
    this.#attempts = this.#firstAttempt.then(
      () => {},
      (error) => this.#retry(error),
    );
    return this.#firstAttempt;
  }

  /** The current server, when it started (if known), and how often a server was lost in this run. */
  running(): (ServerAddress & { startedAt: number | null; restarts: number }) | null {
    if (!this.#running) return null;
    const { address, own } = this.#running;
    return { ...address, startedAt: own?.record.startedAt ?? null, restarts: this.#lost };
  }

  /** Null while no server works. */
  address(): ServerAddress | null {
    return this.#running?.address ?? null;
  }

  onChange(listener: (address: ServerAddress | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Null if there is a server, otherwise the reason why there is none. */
  health(): string | null {
    return this.#running ? null : this.#problem;
  }

  /** Call this when requests fail. Settles when it is known whether the server still answers. */
  checkHealth(): Promise<void> {
    this.#healthCheck ??= this.#probe().finally(() => {
      this.#healthCheck = null;
    });
    return this.#healthCheck;
  }

  /** With `keep` the server keeps running, and the next run adopts it. */
  close({ keep = false }: { keep?: boolean } = {}): Promise<void> {
    this.#closed ??= this.#close(keep);
    return this.#closed;
  }

  async #close(keep: boolean): Promise<void> {
    this.#closing.abort();
    await this.#healthCheck;
    await this.#attempts;
    const running = this.#running;
    this.#problem = stopping().message;
    if (!running) return;
    this.#release(running);
    if (keep) running.own?.child?.unref();
    else if (running.own) await this.#end(running.own);
  }

  async #attempt(): Promise<ServerAddress> {
    const server = await this.#acquire();
    const { address, how, own } = server;
    const running = { ...server, since: performance.now(), unwatch: () => {} };
    if (own) running.unwatch = this.#watch(own, (why) => this.#onLost(running, why));
    this.#running = running;
    this.#onEvent({ type: `opencode_${how}`, url: address.url, pid: address.pid });
    this.#notify();
    return address;
  }

  #watch(own: OwnServer, onExit: (why: string) => void): () => void {
    const unwatch = onServerExit(own, this.#options.times.watchMs, onExit);
    const unbound = boundOutput(this.#options.directory, (error) =>
      this.#onEvent({ type: "opencode_output_unbounded", why: messageOf(error) }),
    );
    return () => {
      unwatch();
      unbound();
    };
  }

  async #acquire(): Promise<AcquiredServer> {
    // Adopt at every attempt, not only the first: a server that did not end in time still has its record.
    const existing = (await adoptServer(this.#options)) ?? (await attachServer(this.#options));
    if (existing) return existing;
    if (performance.now() < this.#mayStartAt) {
      throw new Error(`The OpenCode server at ${this.#options.settings.opencodeAttachUrl} no longer answers.`);
    }
    return startOwnServer(this.#options);
  }

  /** Retries until there is a server or the supervisor is closed. */
  async #retry(reason: unknown): Promise<void> {
    for (let error = reason; !this.#closing.signal.aborted; ) {
      const [code, hint] = error instanceof AppError ? [error.code, error.hint] : [null];
      this.#problem = hint ? `${(error as AppError).message} ${hint}` : messageOf(error);
      const nextTryMs = nextWait(this.#failures, this.#options.times);
      this.#failures += 1;
      this.#onEvent({ type: "opencode_unavailable", code, why: messageOf(error), nextTryMs });
      try {
        await wait(nextTryMs, undefined, { signal: this.#closing.signal });
        await this.#attempt();
        return;
      } catch (failure) {
        error = failure;
      }
    }
  }

  /** A server that leaves several probes in a row unanswered counts as hung, even if its process is alive. */
  async #probe(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { url, authorization } = running.address;
    const { probes, probeMs: deadlineMs } = this.#options.times;
    for (let count = 0; count < probes; count += 1) {
      const answer = await probe(url, { authorization, deadlineMs, signal: this.#closing.signal });
      if (answer.is === "healthy" || this.#closing.signal.aborted || this.#running !== running) return;
      // Another probe would not change this answer.
      if (answer.is !== "silent") break;
    }
    this.#onLost(running, "It no longer answers.");
  }

  #onLost(running: Running, why: string): void {
    if (this.#running !== running || this.#closing.signal.aborted) return;
    const { healthyAfterMs, attachedAwayMs } = this.#options.times;
    if (performance.now() - running.since >= healthyAfterMs) this.#failures = 0;
    if (!running.own) this.#mayStartAt = performance.now() + attachedAwayMs;
    this.#lost += 1;
    this.#problem = `The OpenCode server is being restored. ${why}`;
    this.#onEvent({ type: "opencode_lost", why });
    this.#release(running);
    this.#attempts = this.#replace(running.own, new Error(this.#problem));
  }

  /** Ends the remains of the lost server first, since its tools would run alongside those of the next one. */
  async #replace(own: OwnServer | null, reason: Error): Promise<void> {
    try {
      if (own) await this.#end(own);
    } catch (error) {
      // The record still exists, and the next attempt begins with it.
      return this.#retry(error);
    }
    return this.#retry(reason);
  }

  async #end({ record }: OwnServer): Promise<void> {
    await endProcessTree(record, this.#options.times.endMs);
    removeServerRecord(this.#options.directory);
    this.#onEvent({ type: "opencode_ended", pid: record.pid });
  }

  #release(running: Running): void {
    running.unwatch();
    this.#running = null;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.address());
  }
}

const stopping = () => new AppError({ code: "opencode_stopping", message: "Waybill is stopping." });
