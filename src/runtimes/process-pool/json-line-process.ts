/**
 * One agent program that is spoken to in lines of JSON. It is in a process group of its own, so that a daemon that is
 * killed does not take it along: what it does when nobody holds its input any more is its own affair.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { AppError, messageOf } from "../../app-error.ts";
import { splitLines } from "./split-lines.ts";
import { lastWords } from "./stderr-tail.ts";

/** What people call the program, what begins the codes of its errors, and the setting that says where it is. */
export type ProgramKind = { name: string; code: string; setting: string };

export type ProcessStart = {
  kind: ProgramKind;
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

export class JsonLineProcess {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #env: ProcessStart["env"];
  readonly #kind: ProgramKind;
  #words = "";

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, { kind, env, onLine, onEnd }: ProcessStart) {
    this.#child = child;
    this.#kind = kind;
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

  static start(start: ProcessStart): Promise<JsonLineProcess> {
    const { path, args, directory, env } = start;
    const child = spawn(path, args, { cwd: directory, env, detached: true, stdio: "pipe" });
    return new Promise((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(start, error)));
      child.once("spawn", () => resolve(new JsonLineProcess(child, child.pid ?? 0, start)));
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
    return `${this.#kind.name} ${how}.${words === "" ? "" : ` Its last words: ${words}`}`;
  }
}

function notStarted({ kind, path, directory }: ProcessStart, cause: Error): AppError {
  return new AppError({
    code: `${kind.code}_unusable`,
    message: `${path} could not be started in ${directory}: ${messageOf(cause)}.`,
    hint: `Check that the directory exists, and name another program as ${kind.setting} if this one is broken.`,
    retryable: true,
    cause,
  });
}
