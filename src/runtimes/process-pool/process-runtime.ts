/**
 * What runtimes with a program for each lane have in common: those programs, the ones that an earlier run left behind,
 * and who is told of what happens in their sessions.
 */
import { join } from "node:path";
import { messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../core/lane/lane.ts";
import { directoryProblem } from "../lane-directory.ts";
import type { Hint } from "../port.ts";
import type { Talk } from "./agent-process.ts";
import { AgentProcessPool } from "./agent-process-pool.ts";
import type { AgentProgram } from "./find-agent.ts";
import { requireAgent } from "./find-agent.ts";
import { OrphanedProcesses } from "./orphaned-processes.ts";
import type { ProcessRecord } from "./process-record.ts";
import type { Translator } from "./signal-publisher.ts";
import { SessionSignals } from "./signal-publisher.ts";
import { inTime, untilSo } from "./waiting.ts";

/** What the options of every such runtime hold. */
export type LaneWorkOptions = {
  /** As it is configured: a path, or a name in PATH. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** Where records of programs are kept, and what else the runtime notes. */
  directory: string;
  clock: Clock;
  /** When a program that rests is let go, and how many may rest at a time. */
  idleMs: number;
  maxResting: number;
  onError: (error: unknown) => void;
  times?: Partial<typeof usualTimes>;
};

const usualTimes = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 1000, longestWaitMs: 30_000 };
/** A turn that was stopped and does not end within this is ended with its program. */
const interruptMs = 5000;

export class LaneWork<T extends Talk> {
  readonly programs: AgentProcessPool<T>;
  readonly left: OrphanedProcesses;
  readonly signals: SessionSignals;
  readonly #options: LaneWorkOptions;
  readonly #kind: AgentProgram;
  readonly #times: typeof usualTimes;
  readonly #listeners = new Set<(hint: Hint) => void>();

  constructor(
    kind: AgentProgram,
    options: LaneWorkOptions,
    {
      translator,
      onGone = () => {},
    }: {
      translator: (resumed: boolean, session: string) => Translator;
      /** One of an earlier run has gone. */
      onGone?: (record: ProcessRecord) => void;
    },
  ) {
    const { clock, directory, idleMs, maxResting, onError } = options;
    this.#options = options;
    this.#kind = kind;
    this.#times = { ...usualTimes, ...options.times };
    this.signals = new SessionSignals(clock, translator);
    const records = join(directory, "programs");
    this.left = new OrphanedProcesses({
      ...{ records, clock, endMs: this.#times.endMs, onError },
      onGone: (record) => {
        onGone(record);
        this.tell(record.sessionId);
      },
    });
    this.programs = new AgentProcessPool({
      ...this.#times,
      ...{ kind, clock, records, idleMs, maxResting, onError },
      onEnd: (laneId, sessionId, how, died) => {
        this.signals.ended(laneId, sessionId, how, died);
        this.tell(sessionId);
      },
    });
  }

  /** Where the program is; an `AppError` says that it is not there. */
  path(): string {
    const { program, env } = this.#options;
    return requireAgent(this.#kind, program, env);
  }

  health(lanes: readonly Lane[]): string | null {
    try {
      this.path();
    } catch (error) {
      return messageOf(error);
    }
    return this.programs.health(lanes);
  }

  /** Why nothing can be sent into a session at present. */
  async hindrance({ directory }: Lane, sessionId: string): Promise<string | null> {
    if (this.left.has(sessionId)) return "an_earlier_program_still_works";
    // A start in it would fail as if the program were missing, and count against the program.
    return directoryProblem(directory);
  }

  /** Null when the program did not say in time whether it takes the prompt. */
  admitted<A>(answer: Promise<A>): Promise<A | null> {
    return inTime(this.#options.clock, answer, this.#times.admittedMs);
  }

  /** The program is asked to stop; one that does not is ended, which stops everything. */
  async stop(laneId: string, sessionId: string, ask: (talk: T) => Promise<unknown>): Promise<void> {
    const { clock } = this.#options;
    await this.left.end(sessionId);
    const talk = this.programs.of(laneId, sessionId)?.conversation;
    if (!talk?.isWorking) return;
    this.signals.stopped(laneId, sessionId);
    await inTime(clock, ask(talk), interruptMs);
    await untilSo(
      clock,
      (listener) => this.onHint(listener),
      () => !talk.isWorking,
      interruptMs,
    );
    if (talk.isWorking) await this.programs.end(laneId);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(sessionId: string): void {
    for (const listener of this.#listeners) listener({ sessionId });
  }

  async close(keep: boolean): Promise<void> {
    await Promise.all([this.left.close(keep), this.programs.close(keep)]);
  }
}
