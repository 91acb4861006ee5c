/**
 * Which program works for which lane: started when a prompt is to be sent, kept while it rests for a while, let go after
 * that, and ended with the daemon. One that dies again and again is started after growing waits.
 */
import { AppError } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Notice } from "../../core/lane/lane.ts";
import type { ProgramStart, Talk } from "./agent-process.ts";
import { AgentProcess } from "./agent-process.ts";
import { letGo } from "./idle-processes.ts";
import type { ProgramKind } from "./json-line-process.ts";
import { Failures } from "./process-failures.ts";

/** What is needed to start one; the rest is known here. */
export type Wanted<T extends Talk> = Omit<
  ProgramStart<T>,
  "kind" | "now" | "onEnd" | "onRest" | "startMs" | "endMs" | "records"
>;

export type AgentProcessPoolOptions = {
  kind: ProgramKind;
  clock: Clock;
  records: string;
  idleMs: number;
  maxResting: number;
  startMs: number;
  endMs: number;
  firstWaitMs: number;
  longestWaitMs: number;
  /** It has gone by itself, or was let go; `died` when it was at work. */
  onEnd: (laneId: string, sessionId: string, how: string, died: boolean) => void;
  onError: (error: unknown) => void;
};

export class AgentProcessPool<T extends Talk> {
  readonly #options: AgentProcessPoolOptions;
  readonly #programs = new Map<string, AgentProcess<T>>();
  readonly #failures: Failures;
  /** Those that go, with what their tools left running, by their lane. */
  readonly #ending = new Map<Promise<void>, string>();
  #cancel = () => {};
  #nextReconcileAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(options: AgentProcessPoolOptions) {
    this.#options = options;
    this.#failures = new Failures(options);
  }

  of(laneId: string, sessionId: string): AgentProcess<T> | null {
    const program = this.#programs.get(laneId);
    return program?.sessionId === sessionId ? program : null;
  }

  /** An `AppError` with `ask_unknown` says that nothing is asked under this id any more. */
  asking(askId: string): { sessionId: string; talk: T; ask: T["asks"][number] } {
    for (const { sessionId, conversation: talk } of this.#programs.values()) {
      const ask: T["asks"][number] | undefined = talk.asks.find(({ id }) => id === askId);
      if (ask) return { sessionId, talk, ask };
    }
    throw new AppError({ code: "ask_unknown", message: `Nothing is asked under "${askId}" any more.` });
  }

  /** Why the program runs in none of these lanes. */
  health(lanes: readonly { readonly id: string }[]): string | null {
    return this.#failures.inAll(lanes.map(({ id }) => id));
  }

  notices(laneId: string): readonly Notice[] {
    const why = this.#failures.repeated(laneId);
    const { name } = this.#options.kind;
    const message = `${name} fails in this lane again and again; messages wait, and it is tried again by itself. ${why}`;
    return why === null ? [] : [{ code: "program_failing", message }];
  }

  /** The lane's program, as it is wanted now. One that was started with something else is ended first. */
  async ready(wanted: Wanted<T>): Promise<AgentProcess<T>> {
    const { laneId, sessionId } = wanted;
    for (;;) {
      const there = this.#programs.get(laneId);
      if (there && !there.isEnding && there.sessionId === sessionId && there.fingerprint === wanted.fingerprint) {
        // Whoever started it may have given up waiting for it.
        await there.begin();
        return there;
      }
      if (there && (await this.#moved(there, wanted))) return there;
      if (there) await this.#end(laneId, there);
      const ending = [...this.#ending].filter(([, lane]) => lane === laneId).map(([gone]) => gone);
      // Looked at anew after each wait: somebody else may have started one by then.
      if (!there && ending.length === 0) break;
      await Promise.all(ending);
    }
    this.#mayStart(laneId);
    return this.#start(wanted);
  }

  /** A program at rest that differs only in its session needs no successor. */
  async #moved(there: AgentProcess<T>, wanted: Wanted<T>): Promise<boolean> {
    const { laneId, move, fingerprint } = wanted;
    const isFree = there.isReady && !there.isEnding && !there.conversation.isWorking;
    if (!move || !isFree || there.fingerprint !== fingerprint) return false;
    this.#options.onEnd(laneId, there.sessionId, "Its program went on to another session.", false);
    return there.move(wanted);
  }

  /** Ends it, whatever it does. */
  async end(laneId: string): Promise<void> {
    const program = this.#programs.get(laneId);
    if (program) await this.#end(laneId, program);
  }

  /**
   * With `keep`, those at work are left to themselves, and the next run finds them. One that waits for a person would
   * take our end for a no: it is ended, and asks again in the next run.
   */
  async close(keep: boolean): Promise<void> {
    this.#closed = true;
    this.#cancel();
    for (const [laneId, program] of this.#programs) {
      if (keep && program.conversation.isWorking && program.conversation.asks.length === 0) program.leave();
      else void this.#end(laneId, program).catch(() => {});
    }
    await Promise.all(this.#ending.keys());
  }

  async #start(wanted: Wanted<T>): Promise<AgentProcess<T>> {
    const { kind, clock, records, idleMs, startMs, endMs } = this.#options;
    const { laneId } = wanted;
    const program: AgentProcess<T> = new AgentProcess({
      ...wanted,
      kind,
      records,
      startMs,
      endMs,
      now: () => clock.now(),
      onRest: () => {
        // One that cannot even begin may say a result, too.
        if (program.isReady) this.#failures.worked(laneId);
        this.#letGo();
      },
      onEnd: (how, wasWorking) => this.#gone(laneId, program, how, wasWorking),
    });
    this.#programs.set(laneId, program);
    try {
      await program.begin();
    } catch (error) {
      this.#forget(laneId, program);
      this.#notStarted(laneId, error);
      throw error;
    }
    this.#failures.started(laneId);
    // Whoever wanted it may have given up, and then no end of a turn would let it go.
    program.restingSince = clock.now();
    this.#lookBy(program.restingSince + idleMs);
    return program;
  }

  #gone(laneId: string, program: AgentProcess<T>, how: string, wasWorking: boolean): void {
    // One that ends before it is ready is seen to by whoever starts it.
    if (!program.isReady) return;
    this.#forget(laneId, program);
    this.#options.onEnd(laneId, program.sessionId, how, wasWorking);
    if (program.isEnding) return;
    this.#failures.died(laneId, how);
    this.#options.onError(new Error(how));
    // What its tools left running is ended, and its record with it.
    void this.#finish(laneId, program.end()).catch(() => {});
  }

  /** Whoever makes a lane of that name again may start at once. */
  laneRemoved(laneId: string): void {
    this.#failures.laneRemoved(laneId);
  }

  #notStarted(laneId: string, error: unknown): void {
    const { kind, onError } = this.#options;
    const code = error instanceof AppError ? error.code : null;
    // The program runs, and there is a choice to correct.
    if (code === "agent_unknown") return;
    const why = error instanceof Error ? error.message : String(error);
    this.#failures.notStarted(laneId, { why, everywhere: code === `${kind.code}_unusable` });
    onError(error);
  }

  #mayStart(laneId: string): void {
    const why = this.#failures.holdingBack(laneId);
    if (this.#closed) throw new AppError({ code: "closing", message: "Waybill is stopping." });
    if (why === null) return;
    throw new AppError({
      code: `${this.#options.kind.code}_waits`,
      message: why,
      hint: "It is tried again by itself.",
      retryable: true,
    });
  }

  #end(laneId: string, program: AgentProcess<T>): Promise<void> {
    program.isEnding = true;
    // One that does not end stays where it is: nobody else may take its session up.
    return this.#finish(
      laneId,
      program.end().then(() => this.#forget(laneId, program)),
    );
  }

  /** Another may have taken its place. */
  #forget(laneId: string, program: AgentProcess<T>): void {
    if (this.#programs.get(laneId) === program) this.#programs.delete(laneId);
  }

  #finish(laneId: string, ending: Promise<void>): Promise<void> {
    const handled = ending.catch((error: unknown) => this.#options.onError(error));
    this.#ending.set(handled, laneId);
    void handled.finally(() => this.#ending.delete(handled));
    return ending;
  }

  #letGo(): void {
    const { clock, idleMs, maxResting } = this.#options;
    if (this.#closed) return;
    this.#cancel();
    this.#nextReconcileAt = Number.POSITIVE_INFINITY;
    const { go, next } = letGo([...this.#programs.values()], { now: clock.now(), idleMs, most: maxResting });
    for (const [laneId, program] of [...this.#programs]) {
      if (go.includes(program)) void this.#end(laneId, program).catch(() => {});
    }
    if (next !== null) this.#lookBy(next);
  }

  #lookBy(time: number): void {
    if (this.#closed || this.#nextReconcileAt <= time) return;
    this.#cancel();
    this.#nextReconcileAt = time;
    this.#cancel = this.#options.clock.at(time, () => this.#letGo());
  }
}
