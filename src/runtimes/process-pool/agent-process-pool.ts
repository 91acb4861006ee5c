/**
 * One agent process per lane: started for the first prompt, kept for a while when idle, and ended with the daemon. A
 * process that keeps failing is restarted with increasing backoff.
 */
import type { Notice } from "../../core/lane/lane.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { RunningProgram } from "../port.ts";
import type { AgentClient, ProcessContext, ProcessSpec } from "./agent-process.ts";
import { AgentProcess } from "./agent-process.ts";
import { ProcessFailures } from "./process-failures.ts";

export type AgentProcessPoolOptions = Omit<ProcessContext, "onIdle" | "onEnd"> & {
  idleMs: number;
  maxResting: number;
  firstWaitMs: number;
  longestWaitMs: number;
  /** The lane's process no longer has this session. `died` is true if it ended mid-turn. */
  onEnd: (laneId: string, sessionId: string, reason: string, died: boolean) => void;
  onError: (error: unknown) => void;
};

export class AgentProcessPool<C extends AgentClient> {
  readonly #options: AgentProcessPoolOptions;
  readonly #processes = new Map<string, AgentProcess<C>>();
  readonly #failures: ProcessFailures;
  /** Maps a promise, which settles when a process and everything it started has ended, to the lane of that process. */
  readonly #ending = new Map<Promise<void>, string>();
  #cancelTimer = () => {};
  #nextIdleCheckAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(options: AgentProcessPoolOptions) {
    this.#options = options;
    this.#failures = new ProcessFailures(options);
  }

  clientOf(laneId: string, sessionId: string): C | null {
    const process = this.#processes.get(laneId);
    return process?.sessionId === sessionId ? process.client : null;
  }

  /** The client with this open ask. Throws `ask_unknown` if there is none. */
  withAsk(askId: string): { sessionId: string; client: C } {
    const found = [...this.#processes.values()].find(({ client }) => client.asks.some(({ id }) => id === askId));
    if (found) return found;
    throw new AppError({ code: "ask_unknown", message: `The ask "${askId}" is no longer open.` });
  }

  /** The reason if the program runs in none of these lanes. */
  health(lanes: readonly { readonly id: string }[]): string | null {
    return this.#failures.inAll(lanes.map(({ id }) => id));
  }

  notices(laneId: string): readonly Notice[] {
    const reason = this.#failures.repeated(laneId);
    if (reason === null) return [];
    const { name } = this.#options.kind;
    const message = `${name} keeps failing in this lane; messages wait while Waybill retries. ${reason}`;
    return [{ code: "program_failing", message }];
  }

  /** The running processes. */
  programs(): RunningProgram[] {
    return [...this.#processes].flatMap(([laneId, process]) => {
      const { running, sessionId } = process;
      if (running === null) return [];
      const restarts = this.#failures.total(laneId);
      return [{ ...running, laneId, sessionId, version: null, restarts, events: "connected" as const }];
    });
  }

  /** The lane's process, ready for this session. A process with another fingerprint is ended first. */
  async acquire(spec: ProcessSpec<C>): Promise<AgentProcess<C>> {
    const { laneId, sessionId, fingerprint } = spec;
    for (;;) {
      const current = this.#processes.get(laneId);
      if (current && !current.isEnding && current.sessionId === sessionId && current.fingerprint === fingerprint) {
        // The caller that started it may have given up.
        await current.start();
        return current;
      }
      if (current && (await this.#switched(current, spec))) return current;
      if (current) await this.#end(laneId, current);
      const ending = [...this.#ending].filter(([, lane]) => lane === laneId).map(([ended]) => ended);
      // Check again after each wait, since another caller may have started a process.
      if (!current && ending.length === 0) break;
      await Promise.all(ending);
    }
    this.#checkStartAllowed(laneId);
    return this.#start(spec);
  }

  /** An idle process that differs only in its session needs no restart. */
  async #switched(current: AgentProcess<C>, spec: ProcessSpec<C>): Promise<boolean> {
    const isFree = current.isReady && !current.isEnding && !current.client.isWorking;
    if (!spec.switchSession || !isFree || current.fingerprint !== spec.fingerprint) return false;
    this.#options.onEnd(spec.laneId, current.sessionId, "Its program switched to another session.", false);
    return current.switchSession(spec);
  }

  /** Ends the lane's process, even mid-turn. */
  async end(laneId: string): Promise<void> {
    const process = this.#processes.get(laneId);
    if (process) await this.#end(laneId, process);
  }

  /**
   * With `keep`, working processes keep running, and the next run finds them. A process with an open ask would take our
   * exit for a refusal, so it is ended, and asks again in the next run.
   */
  async close(keep: boolean): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    for (const [laneId, process] of this.#processes) {
      if (keep && process.client.isWorking && process.client.asks.length === 0) process.detach();
      else void this.#end(laneId, process).catch(() => {});
    }
    await Promise.all(this.#ending.keys());
  }

  async #start(spec: ProcessSpec<C>): Promise<AgentProcess<C>> {
    const { clock, idleMs } = this.#options;
    const { laneId } = spec;
    const process: AgentProcess<C> = new AgentProcess(spec, {
      ...this.#options,
      onIdle: () => {
        // A program that fails to start may also report a result.
        if (process.isReady) this.#failures.worked(laneId);
        this.#endIdle();
      },
      onEnd: (reason, wasWorking) => this.#processEnded(laneId, process, reason, wasWorking),
    });
    this.#processes.set(laneId, process);
    try {
      await process.start();
    } catch (error) {
      this.#remove(laneId, process);
      this.#startFailed(laneId, error);
      throw error;
    }
    this.#failures.started(laneId);
    // If the caller has given up, no turn will end and start the idle timer.
    process.idleSince = clock.now();
    this.#checkIdleAt(process.idleSince + idleMs);
    return process;
  }

  #processEnded(laneId: string, process: AgentProcess<C>, reason: string, wasWorking: boolean): void {
    // `#start` handles a process that ends before it is ready.
    if (!process.isReady) return;
    this.#remove(laneId, process);
    this.#options.onEnd(laneId, process.sessionId, reason, wasWorking);
    if (process.isEnding) return;
    this.#failures.died(laneId, reason);
    this.#options.onError(new Error(reason));
    // Ends processes that its tools left running, and removes its record.
    void this.#track(laneId, process.end()).catch(() => {});
  }

  /** If a lane with this name is created again, it may start immediately. */
  laneRemoved(laneId: string): void {
    this.#failures.laneRemoved(laneId);
  }

  #startFailed(laneId: string, error: unknown): void {
    const { kind, onError } = this.#options;
    const code = error instanceof AppError ? error.code : null;
    // The program runs, but does not have the agent that the lane names.
    if (code === "agent_unknown") return;
    this.#failures.startFailed(laneId, { reason: messageOf(error), everywhere: code === `${kind.code}_unusable` });
    onError(error);
  }

  #checkStartAllowed(laneId: string): void {
    if (this.#closed) throw new AppError({ code: "closing", message: "Waybill is stopping." });
    const message = this.#failures.backoffReason(laneId);
    if (message === null) return;
    const code = `${this.#options.kind.code}_waits`;
    throw new AppError({ code, message, hint: "Waybill retries automatically.", retryable: true });
  }

  #end(laneId: string, process: AgentProcess<C>): Promise<void> {
    process.isEnding = true;
    // A process that does not end stays in the pool, since no other process may use its session.
    return this.#track(
      laneId,
      process.end().then(() => this.#remove(laneId, process)),
    );
  }

  #remove(laneId: string, process: AgentProcess<C>): void {
    if (this.#processes.get(laneId) === process) this.#processes.delete(laneId);
  }

  #track(laneId: string, ending: Promise<void>): Promise<void> {
    const handled = ending.catch((error: unknown) => this.#options.onError(error));
    this.#ending.set(handled, laneId);
    void handled.finally(() => this.#ending.delete(handled));
    return ending;
  }

  #endIdle(): void {
    const { clock, idleMs, maxResting } = this.#options;
    if (this.#closed) return;
    this.#cancelTimer();
    this.#nextIdleCheckAt = Number.POSITIVE_INFINITY;
    const processes = [...this.#processes.values()];
    const { expired, nextAt } = selectIdleProcesses(processes, { now: clock.now(), idleMs, maxResting });
    for (const [laneId, process] of [...this.#processes]) {
      if (expired.includes(process)) void this.#end(laneId, process).catch(() => {});
    }
    if (nextAt !== null) this.#checkIdleAt(nextAt);
  }

  #checkIdleAt(time: number): void {
    if (this.#closed || this.#nextIdleCheckAt <= time) return;
    this.#cancelTimer();
    this.#nextIdleCheckAt = time;
    this.#cancelTimer = this.#options.clock.at(time, () => this.#endIdle());
  }
}

export type IdleCandidate = {
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly idleSince: number;
  readonly client: { readonly isWorking: boolean };
};

export type IdleLimits = { now: number; idleMs: number; maxResting: number };

/**
 * Selects processes that were idle for too long, and the longest idle ones if too many are idle. `nextAt` is null if no
 * idle process remains.
 */
export function selectIdleProcesses<T extends IdleCandidate>(
  processes: readonly T[],
  { now, idleMs, maxResting }: IdleLimits,
): { expired: T[]; nextAt: number | null } {
  const idle = processes.filter(isIdle).sort((a, b) => b.idleSince - a.idleSince);
  const kept = idle.slice(0, maxResting).filter(({ idleSince }) => idleSince + idleMs > now);
  const oldest = kept.at(-1);
  return { expired: idle.filter((one) => !kept.includes(one)), nextAt: oldest ? oldest.idleSince + idleMs : null };
}

/** A starting process is not idle, since a prompt is waiting for it. */
function isIdle({ isReady, isEnding, client }: IdleCandidate): boolean {
  return isReady && !isEnding && !client.isWorking;
}
