/**
 * The agent process of one lane, from its record, which is written before the start, to its end. A detached process may
 * finish its turn before it ends; its record stays, so that the next run finds it.
 */
import { randomBytes } from "node:crypto";
import type { Ask } from "../../core/transcript/transcript.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { TimedOut, withTimeout } from "../../platform/clock.ts";
import type { Json } from "../json-fields.ts";
import { jsonIn } from "../json-fields.ts";
import type { AskAnswer, RunningProgram } from "../port.ts";
import { nonceVariable } from "../process/agent-environment.ts";
import { processTable } from "../process/process-table.ts";
import { endProcessTree } from "../process/process-tree.ts";
import type { ProgramKind } from "./json-line-process.ts";
import { JsonLineProcess } from "./json-line-process.ts";
import type { ProcessRecord } from "./process-record.ts";
import { removeProcessRecord, writeProcessRecord } from "./process-record.ts";

/** Speaks the protocol of one agent program. Does no I/O. */
export type AgentClient = {
  readonly isWorking: boolean;
  readonly asks: readonly Omit<Ask, "sessionId">[];
  /** When the model last produced output. Needed because an answer reaches the transcript only when it is complete. */
  readonly lastOutputAt: number | null;
  receive(line: Json): void;
  answer(askId: string, answer: AskAnswer): void;
  interrupt(): Promise<unknown>;
  /** The process has ended, along with everything that was pending in either direction. */
  end(reason: string): void;
};

/** What a client needs from its process. */
export type ClientConnection = {
  write: (line: object) => void;
  now: () => number;
  /** A turn has ended. */
  onIdle: () => void;
  /** The state of the client may have changed. */
  onChange: () => void;
};

export type ProcessSpec<C extends AgentClient> = {
  laneId: string;
  sessionId: string;
  path: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  /** Changes whenever a new process is required. */
  fingerprint: string;
  createClient: (connection: ClientConnection) => C;
  /** Resolves when the program answers. Rejects with an `AppError` if something is wrong with it. */
  handshake: (client: C) => Promise<unknown>;
  /** Switches an idle process to this session; false if it refuses. Absent if a program cannot switch. */
  switchSession?: (client: C) => Promise<boolean>;
  /** Called just before the start, and after the program and everything it started has ended. */
  onStarting?: () => void;
  onEnded?: () => void;
  onReady: () => void;
  /** Every line that the program prints after `onReady`, as text and parsed; null if it is no JSON. */
  onLine: (text: string, line: Json | null) => void;
};

export type ProcessContext = {
  kind: ProgramKind;
  records: string;
  clock: Clock;
  startMs: number;
  endMs: number;
  onIdle: () => void;
  onChange: (sessionId: string) => void;
  /** The process has ended, requested or not. */
  onEnd: (reason: string, wasWorking: boolean) => void;
};

/** How long an idle program may take to exit after its input ends. */
const gracefulEndMs = 2000;

export class AgentProcess<C extends AgentClient> {
  readonly client: C;
  readonly fingerprint: string;
  readonly #context: ProcessContext;
  readonly #record: ProcessRecord;
  #spec: ProcessSpec<C>;
  #process: JsonLineProcess | null = null;
  #started: Promise<void> | null = null;
  #startedAt: number | null = null;
  idleSince: number;
  isEnding = false;
  isReady = false;

  constructor(spec: ProcessSpec<C>, context: ProcessContext) {
    const { laneId, sessionId, fingerprint, createClient } = spec;
    const now = () => context.clock.now();
    this.#spec = spec;
    this.#context = context;
    this.fingerprint = fingerprint;
    this.idleSince = now();
    this.#record = { nonce: randomBytes(16).toString("hex"), laneId, sessionId, pid: null, processStart: null };
    this.client = createClient({
      write: (line) => this.#process?.write(line),
      now,
      onIdle: () => {
        this.idleSince = now();
        context.onIdle();
      },
      onChange: () => context.onChange(this.sessionId),
    });
  }

  /** Null while the process is being started, and if the start failed. */
  get running(): Pick<RunningProgram, "pid" | "directory" | "startedAt"> | null {
    if (!this.#process || this.#startedAt === null) return null;
    return { pid: this.#process.pid, directory: this.#spec.directory, startedAt: this.#startedAt };
  }

  get sessionId(): string {
    return this.#spec.sessionId;
  }

  /** Resolves for every caller when the program answers. If the start fails, nothing is left running. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const { kind, onEnd } = this.#context;
    const { path, args, directory, env, handshake, onReady } = this.#spec;
    this.#writeRecord({});
    let endReason: string | null = null;
    try {
      this.#spec.onStarting?.();
      this.#process = await JsonLineProcess.start({
        kind,
        path,
        args,
        directory,
        env: { ...env, [nonceVariable]: this.#record.nonce },
        onLine: (line) => this.#receive(line),
        onEnd: (reason) => {
          endReason = reason;
          const wasWorking = this.client.isWorking;
          this.client.end(reason);
          onEnd(reason, wasWorking);
        },
      });
      const { pid } = this.#process;
      this.#startedAt = this.#context.clock.now();
      this.#writeRecord({ pid });
      this.#writeRecord({ processStart: (await processTable()).find((row) => row.pid === pid)?.start ?? null });
      await this.#withinStartTime(handshake(this.client));
      this.isReady = true;
      onReady();
    } catch (error) {
      // Only an end before our own `end` explains the failure.
      const endedBefore = endReason;
      await this.end();
      if (endedBefore !== null) throw startFailed(kind, endedBefore, loginHint, error);
      throw error instanceof TimedOut ? this.#startTimeout() : error;
    }
  }

  /**
   * Continues in another session; callers that need that session wait for the switch as they would for a start. False
   * if the process did not switch in time: then its session is unknown, and it has to be ended.
   */
  async switchSession(spec: ProcessSpec<C>): Promise<boolean> {
    this.isReady = false;
    this.#spec = { ...this.#spec, ...spec };
    this.#writeRecord({ sessionId: spec.sessionId });
    this.#started = this.#switch(spec);
    await this.#started.catch(() => {});
    return this.isReady;
  }

  async #switch({ switchSession, onReady }: ProcessSpec<C>): Promise<void> {
    const { kind, clock } = this.#context;
    const switched = await this.#withinStartTime(switchSession?.(this.client)).catch(() => false);
    if (!switched) throw startFailed(kind, `${kind.name} did not switch to another session and is restarted.`);
    this.isReady = true;
    this.idleSince = clock.now();
    onReady();
  }

  /** Lets the process finish its turn and exit. */
  detach(): void {
    this.isEnding = true;
    this.#process?.endInput();
  }

  /** Ends the process and everything it started, and waits for that. An idle process exits when its input ends. */
  async end(): Promise<void> {
    const { endMs, records } = this.#context;
    this.isEnding = true;
    if (!this.client.isWorking && this.#process) {
      const { ended } = this.#process;
      this.#process.endInput();
      await this.#within(Math.min(endMs, gracefulEndMs), ended).catch(() => {});
    }
    await endProcessTree(this.#record, endMs);
    await this.#process?.ended;
    removeProcessRecord(records, this.#record);
    this.#spec.onEnded?.();
  }

  #receive(text: string): void {
    const line = jsonIn(text);
    if (this.isReady) this.#spec.onLine(text, line);
    if (line) this.client.receive(line);
  }

  #writeRecord(change: Partial<ProcessRecord>): void {
    writeProcessRecord(this.#context.records, Object.assign(this.#record, change));
  }

  #within<T>(ms: number, promise: Promise<T>): Promise<T> {
    return withTimeout({ clock: this.#context.clock, closing: new AbortController().signal }, ms, () => promise);
  }

  #withinStartTime<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
    return this.#within(this.#context.startMs, Promise.resolve(promise));
  }

  #startTimeout(): AppError {
    const { kind, startMs } = this.#context;
    return new AppError({
      code: `${kind.code}_start_timeout`,
      message: `${kind.name} did not answer within ${startMs / 1000} s and was ended.`,
      hint: `Waybill retries automatically. Run \`${kind.code}\` by hand to see what delays it.`,
      retryable: true,
    });
  }
}

const loginHint = "Waybill retries automatically; the program's own configuration or login may be wrong.";

function startFailed({ code }: ProgramKind, message: string, hint = "Waybill retries automatically.", cause?: unknown) {
  return new AppError({ code: `${code}_start_failed`, message, hint, retryable: true, cause });
}
