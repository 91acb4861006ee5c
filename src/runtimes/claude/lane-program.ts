/**
 * The Claude Code program of one lane, from the record that comes before it until it is gone. A program that is left
 * alone finishes its turn and ends; its record stays, so that the next run waits for it.
 */
import { randomBytes } from "node:crypto";
import { AppError } from "../../app-error.ts";
import { nonceVariable } from "../agent-process/agent-environment.ts";
import { endFamily } from "../agent-process/process-family.ts";
import { processTable } from "../agent-process/process-table.ts";
import { firstRequest } from "./claude-arguments.ts";
import { ClaudeProcess } from "./claude-process.ts";
import type { ConversationOptions } from "./conversation.ts";
import { Conversation } from "./conversation.ts";
import type { Json } from "./json-fields.ts";
import { asList, asObject, asText, jsonIn } from "./json-fields.ts";
import type { ProcessRecord } from "./process-record.ts";
import { removeProcessRecord, writeProcessRecord } from "./process-record.ts";

export type ProgramStart = Pick<ConversationOptions, "now" | "onResult" | "onChange"> & {
  laneId: string;
  sessionId: string;
  agent: string | null;
  path: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  records: string;
  /** How long it may take to be ready, and to end. */
  startMs: number;
  endMs: number;
  /** It answers, and has said nothing else so far. */
  onReady: () => void;
  /** Everything that it prints from then on, before anything is made of it. */
  onLine: (line: string) => void;
  /** It has gone, wanted or not. */
  onEnd: (how: string, wasWorking: boolean) => void;
};

export class LaneProgram {
  readonly sessionId: string;
  readonly conversation: Conversation;
  /** What it was started with: another choice needs another program. */
  readonly fingerprint: string;
  readonly #start: ProgramStart;
  readonly #record: ProcessRecord;
  #process: ClaudeProcess | null = null;
  #begun: Promise<void> | null = null;
  restingSince: number;
  isEnding = false;
  isReady = false;

  constructor(start: ProgramStart) {
    this.#start = start;
    this.sessionId = start.sessionId;
    this.fingerprint = fingerprintOf(start);
    this.restingSince = start.now();
    const nonce = randomBytes(16).toString("hex");
    const { laneId, sessionId } = start;
    this.#record = { nonce, laneId, sessionId, pid: null, processStart: null };
    this.conversation = new Conversation({
      sessionId,
      now: start.now,
      write: (line) => this.#process?.write(line),
      onResult: (result) => {
        this.restingSince = start.now();
        start.onResult(result);
      },
      onChange: start.onChange,
    });
  }

  /** Resolves when it answers, for everybody who waits for that. Whatever goes wrong, nothing is left running. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  async #begin(): Promise<void> {
    const { records, path, args, directory, env } = this.#start;
    writeProcessRecord(records, this.#record);
    let gone = "";
    try {
      this.#process = await ClaudeProcess.start({
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
      this.#checkAgent(await this.#ready());
      this.isReady = true;
      this.#start.onReady();
    } catch (error) {
      await this.end();
      throw gone === "" ? error : notReady(gone, error);
    }
  }

  /** It finishes what it does and goes; nobody hears of it here any more. */
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
    await endFamily(this.#record, endMs);
    await this.#process?.ended;
    removeProcessRecord(records, this.#record);
  }

  #hear(text: string): void {
    if (this.isReady) this.#start.onLine(text);
    const line = jsonIn(text);
    if (line) this.conversation.hear(line);
  }

  async #ready(): Promise<Json> {
    const { startMs } = this.#start;
    const answer = await within(this.conversation.request(firstRequest), startMs);
    if (answer) return answer;
    throw new AppError({
      code: "claude_start_timeout",
      message: `Claude Code did not answer within ${startMs / 1000} s and was ended.`,
      hint: "It is tried again by itself. Run `claude` by hand to see what holds it up.",
      retryable: true,
    });
  }

  /** The program would go on without an agent that it does not know. */
  #checkAgent(ready: Json): void {
    const { agent } = this.#start;
    if (agent === null) return;
    const known = asList(ready.agents).flatMap((one) => asText(asObject(one)?.name ?? one) ?? []);
    if (known.length === 0 || known.includes(agent)) return;
    throw new AppError({
      code: "agent_unknown",
      message: `Claude Code has no agent "${agent}".`,
      hint: `It has ${known.join(", ")}.`,
    });
  }
}

export function fingerprintOf({
  path,
  args,
  directory,
  env,
}: Pick<ProgramStart, "path" | "args" | "directory" | "env">) {
  // Whether a session is begun or resumed is no difference.
  const meant = args.filter((arg) => arg !== "--resume" && arg !== "--session-id");
  return JSON.stringify([path, meant, directory, env]);
}

function notReady(how: string, cause: unknown): AppError {
  const hint = "It is tried again by itself; its own configuration or its login may be at fault.";
  return new AppError({ code: "claude_start_failed", message: how, hint, retryable: true, cause });
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
