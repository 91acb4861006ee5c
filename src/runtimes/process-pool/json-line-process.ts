/**
 * A child process that exchanges lines of JSON. It has its own process group, so that it survives when the daemon is
 * killed, and can decide what to do when its input ends.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { splitLines, stderrTail } from "./program-output.ts";

/** The name of the program, the prefix of its error codes, and the setting that holds its path. */
export type ProgramKind = { name: string; code: string; setting: string };

export type ProcessStart = {
  kind: ProgramKind;
  path: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  onLine: (line: string) => void;
  /** Called once, with a sentence, after the last line. */
  onEnd: (reason: string) => void;
};

const maxStderr = 10_000;
/** How long to read the output of an ended process. Processes that it started may keep the pipe open. */
const drainMs = 1000;

export class JsonLineProcess {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #env: ProcessStart["env"];
  readonly #kind: ProgramKind;
  #stderr = "";

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, { kind, env, onLine, onEnd }: ProcessStart) {
    this.#child = child;
    this.#kind = kind;
    this.#env = env;
    this.pid = pid;
    // A write to an ended process is lost; `onEnd` reports the end.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-maxStderr);
    });
    splitLines(child.stdout, onLine);
    child.once("exit", () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, drainMs).unref();
    });
    this.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        onEnd(this.#endReason(code, signal));
        resolve();
      });
    });
  }

  static start(start: ProcessStart): Promise<JsonLineProcess> {
    const { path, args, directory, env } = start;
    const child = spawn(path, args, { cwd: directory, env, detached: true, stdio: "pipe" });
    return new Promise((resolve, reject) => {
      child.once("error", (error) => reject(spawnFailed(start, error)));
      child.once("spawn", () => resolve(new JsonLineProcess(child, child.pid ?? 0, start)));
    });
  }

  write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** The program finishes its turn and ends. */
  endInput(): void {
    this.#child.stdin.end();
  }

  #endReason(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    const output = stderrTail(this.#stderr, this.#env);
    return `${this.#kind.name} ${how}.${output === "" ? "" : ` Its last output: ${output}`}`;
  }
}

function spawnFailed({ kind, path, directory }: ProcessStart, cause: Error): AppError {
  return new AppError({
    code: `${kind.code}_unusable`,
    message: `${path} could not be started in ${directory}: ${messageOf(cause)}.`,
    hint: `Check that the directory exists, or set ${kind.setting} to another program if this one is broken.`,
    retryable: true,
    cause,
  });
}
