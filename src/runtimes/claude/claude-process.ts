/**
 * One Claude Code program that is spoken to in lines of JSON. It is in a process group of its own, so that it survives
 * a daemon that is killed: it then finishes its turn and ends by itself, because nobody holds its input any more.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { AppError, messageOf } from "../../app-error.ts";
import { lastWords } from "./last-words.ts";
import { splitLines } from "./split-lines.ts";

export type ProcessStart = {
  path: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  onLine: (line: string) => void;
  /** Once, with a sentence. By then all that it said was told. */
  onEnd: (how: string) => void;
};

const keptWords = 10_000;
/** What a program said before it ended is read within this, unless something that it started holds its output open. */
const lastWordsMs = 1000;

export class ClaudeProcess {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #env: ProcessStart["env"];
  #words = "";

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, { env, onLine, onEnd }: ProcessStart) {
    this.#child = child;
    this.#env = env;
    this.pid = pid;
    // What is written to a program that has gone is lost; that it has gone is said by its end.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#words = (this.#words + text).slice(-keptWords);
    });
    splitLines(child.stdout, onLine);
    child.once("exit", () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, lastWordsMs).unref();
    });
    this.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        onEnd(this.#farewell(code, signal));
        resolve();
      });
    });
  }

  static start(start: ProcessStart): Promise<ClaudeProcess> {
    const { path, args, directory, env } = start;
    const child = spawn(path, args, { cwd: directory, env, detached: true, stdio: "pipe" });
    return new Promise((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(path, directory, error)));
      child.once("spawn", () => resolve(new ClaudeProcess(child, child.pid ?? 0, start)));
    });
  }

  write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** It finishes its turn and ends. */
  endInput(): void {
    this.#child.stdin.end();
  }

  #farewell(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    const words = lastWords(this.#words, this.#env);
    return `Claude Code ${how}.${words === "" ? "" : ` Its last words: ${words}`}`;
  }
}

function notStarted(path: string, directory: string, cause: Error): AppError {
  return new AppError({
    code: "claude_start_failed",
    message: `${path} could not be started in ${directory}: ${messageOf(cause)}.`,
    hint: "Check that the directory exists, and name another program as claudeBin (CLAUDE_BIN) if this one is broken.",
    retryable: true,
    cause,
  });
}
