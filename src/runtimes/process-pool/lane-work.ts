/**
 * What runtimes with a program for each lane have in common: those programs, the ones that an earlier run left behind,
 * and who is told of what happens in their sessions.
 */
import { join } from "node:path";
import { messageOf } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import type { Lane } from "../../core/lane/lane.ts";
import { directoryTrouble } from "../lane-directory.ts";
import type { Hint } from "../port.ts";
import type { Talk } from "./agent-process.ts";
import { LanePrograms } from "./agent-process-pool.ts";
import type { AgentProgram } from "./find-agent.ts";
import { findAgent } from "./find-agent.ts";
import { LeftPrograms } from "./orphaned-processes.ts";
import type { ProcessRecord } from "./process-record.ts";
import type { Translator } from "./session-signals.ts";
import { SessionSignals } from "./session-signals.ts";
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
  mostResting: number;
  onTrouble: (error: unknown) => void;
  times?: Partial<typeof usualTimes>;
};

const usualTimes = { startMs: 30_000, endMs: 5000, admittedMs: 5000, firstWaitMs: 1000, longestWaitMs: 30_000 };
/** A turn that was stopped and does not end within this is ended with its program. */
const interruptMs = 5000;

export class LaneWork<T extends Talk> {
  readonly programs: LanePrograms<T>;
  readonly left: LeftPrograms;
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
    const { clock, directory, idleMs, mostResting, onTrouble } = options;
    this.#options = options;
    this.#kind = kind;
    this.#times = { ...usualTimes, ...options.times };
    this.signals = new SessionSignals(clock, translator);
    const records = join(directory, "programs");
    this.left = new LeftPrograms({
      ...{ records, clock, endMs: this.#times.endMs, onTrouble },
      onGone: (record) => {
        onGone(record);
        this.tell(record.sessionId);
      },
    });
    this.programs = new LanePrograms({
      ...this.#times,
      ...{ kind, clock, records, idleMs, mostResting, onTrouble },
      onEnd: (laneId, sessionId, how, died) => {
        this.signals.ended(laneId, sessionId, how, died);
        this.tell(sessionId);
      },
    });
  }

  /** Where the program is; an `AppError` says that it is not there. */
  path(): string {
    const { program, env } = this.#options;
    return findAgent(this.#kind, program, env);
  }

  trouble(lanes: readonly Lane[]): string | null {
    try {
      this.path();
    } catch (error) {
      return messageOf(error);
    }
    return this.programs.trouble(lanes);
  }

  /** Why nothing can be sent into a session at present. */
  async hindrance({ directory }: Lane, sessionId: string): Promise<string | null> {
    if (this.left.has(sessionId)) return "an_earlier_program_still_works";
    // A start in it would fail as if the program were missing, and count against the program.
    return directoryTrouble(directory);
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
