/**
 * The agent program of one lane, from the record that comes before it until it is gone. A program that is left alone
 * may finish its turn before it ends; its record stays, so that the next run finds it.
 */
import { randomBytes } from "node:crypto";
import { AppError } from "../../app-error.ts";
import type { Json } from "../json-fields.ts";
import { jsonIn } from "../json-fields.ts";
import { nonceVariable } from "../process/agent-environment.ts";
import { processTable } from "../process/process-table.ts";
import { endProcessTree } from "../process/process-tree.ts";
import type { ProgramKind } from "./json-line-process.ts";
import { JsonLineProcess } from "./json-line-process.ts";
import type { ProcessRecord } from "./process-record.ts";
import { removeProcessRecord, writeProcessRecord } from "./process-record.ts";

/** What is said to a program and heard from it, in its own words. */
export type Talk = {
  readonly isWorking: boolean;
  /** What it waits for a person with. */
  readonly asks: readonly { readonly id: string }[];
  hear(line: Json): void;
  /** The program is gone: so is all that it asked and was asked. */
  end(how: string): void;
};

/** What a talk needs of the program that it is held with. */
export type Line = {
  write: (line: object) => void;
  /** A turn has ended, and the program rests. */
  onRest: () => void;
  /** The session that it has by now. */
  sessionId: () => string;
};

export type ProgramStart<T extends Talk> = {
  kind: ProgramKind;
  laneId: string;
  sessionId: string;
  path: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  /** What it is started with, as far as another choice needs another program. */
  fingerprint: string;
  talk: (line: Line) => T;
  /** Resolves when it answers; an `AppError` says what is wrong with it. */
  greet: (talk: T) => Promise<unknown>;
  /** Takes a program at rest over into this session, where one can; false when it does not go. */
  move?: (talk: T) => Promise<boolean>;
  records: string;
  now: () => number;
  /** How long it may take to be ready, and to end. */
  startMs: number;
  endMs: number;
  /** It answers, and has said nothing else so far. */
  onReady: () => void;
  /** Everything that it prints from then on, before anything is made of it. */
  onLine: (line: string) => void;
  onRest: () => void;
  /** It has gone, wanted or not. */
  onEnd: (how: string, wasWorking: boolean) => void;
};

export class AgentProcess<T extends Talk> {
  sessionId: string;
  readonly conversation: T;
  readonly fingerprint: string;
  #start: ProgramStart<T>;
  readonly #record: ProcessRecord;
  #process: JsonLineProcess | null = null;
  #begun: Promise<void> | null = null;
  restingSince: number;
  isEnding = false;
  isReady = false;

  constructor(start: ProgramStart<T>) {
    this.#start = start;
    this.sessionId = start.sessionId;
    this.fingerprint = start.fingerprint;
    this.restingSince = start.now();
    const nonce = randomBytes(16).toString("hex");
    const { laneId, sessionId } = start;
    this.#record = { nonce, laneId, sessionId, pid: null, processStart: null };
    this.conversation = start.talk({
      write: (line) => this.#process?.write(line),
      onRest: () => {
        this.restingSince = start.now();
        start.onRest();
      },
      sessionId: () => this.sessionId,
    });
  }

  /** Resolves when it answers, for everybody who waits for that. Whatever goes wrong, nothing is left running. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  async #begin(): Promise<void> {
    const { records, kind, path, args, directory, env } = this.#start;
    writeProcessRecord(records, this.#record);
    let gone = "";
    try {
      this.#process = await JsonLineProcess.start({
        kind,
        path,
        args,
        directory,
        env: { ...env, [nonceVariable]: this.#record.nonce },
        onLine: (line) => this.#hear(line),
        onEnd: (how) => {
          gone = how;
          const wasWorking = this.conversation.isWorking;
          this.conversation.end(how);
          this.#start.onEnd(how, wasWorking);
        },
      });
      this.#record.pid = this.#process.pid;
      writeProcessRecord(records, this.#record);
      this.#record.processStart = (await processTable()).find(({ pid }) => pid === this.#record.pid)?.start ?? null;
      writeProcessRecord(records, this.#record);
      await this.#greeted();
      this.isReady = true;
      this.#start.onReady();
    } catch (error) {
      await this.end();
      throw gone === "" ? error : notReady(kind, gone, error);
    }
  }

  /**
   * Goes on in another session. Whoever wants it there waits for that as for its beginning. False when it did not go, or
   * not in time: then nobody knows where it is, and it is to be ended.
   */
  async move(to: Pick<ProgramStart<T>, "sessionId" | "onReady" | "onLine" | "move">): Promise<boolean> {
    const { sessionId } = to;
    this.isReady = false;
    this.sessionId = sessionId;
    this.#start = { ...this.#start, ...to };
    Object.assign(this.#record, { sessionId });
    writeProcessRecord(this.#start.records, this.#record);
    this.#begun = this.#move();
    await this.#begun.catch(() => {});
    return this.isReady;
  }

  async #move(): Promise<void> {
    const { startMs, kind, move, now, onReady } = this.#start;
    const went = await within(move?.(this.conversation), startMs);
    if (went !== true) throw notMoved(kind);
    this.isReady = true;
    this.restingSince = now();
    onReady();
  }

  /** It is on its own from here; nobody hears of it any more. */
  leave(): void {
    this.isEnding = true;
    this.#process?.endInput();
  }

  /** Ended with all that it started, and waited for. At rest it goes by itself when its input ends. */
  async end(): Promise<void> {
    this.isEnding = true;
    const { endMs, records } = this.#start;
    if (!this.conversation.isWorking) {
      this.#process?.endInput();
      await within(this.#process?.ended, Math.min(endMs, 2000));
    }
    await endProcessTree(this.#record, endMs);
    await this.#process?.ended;
    removeProcessRecord(records, this.#record);
  }

  #hear(text: string): void {
    if (this.isReady) this.#start.onLine(text);
    const line = jsonIn(text);
    if (line) this.conversation.hear(line);
  }

  async #greeted(): Promise<void> {
    const { startMs, kind, greet } = this.#start;
    const answered = greet(this.conversation).then(() => true);
    if (await within(answered, startMs)) return;
    throw new AppError({
      code: `${kind.code}_start_timeout`,
      message: `${kind.name} did not answer within ${startMs / 1000} s and was ended.`,
      hint: `It is tried again by itself. Run \`${kind.code}\` by hand to see what holds it up.`,
      retryable: true,
    });
  }
}

function notReady(kind: ProgramKind, how: string, cause: unknown): AppError {
  const hint = "It is tried again by itself; its own configuration or its login may be at fault.";
  return new AppError({ code: `${kind.code}_start_failed`, message: how, hint, retryable: true, cause });
}

function notMoved({ name, code }: ProgramKind): AppError {
  const message = `${name} did not go on to another session and is started anew.`;
  return new AppError({ code: `${code}_start_failed`, message, hint: "It is tried again by itself.", retryable: true });
}

/** Null when the time was up before. */
async function within<T>(promise: Promise<T> | undefined, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise ?? null, over]);
  } finally {
    clearTimeout(timer);
  }
}
