/** A supervisor as a process, with a worker that a test controls, or any program that prints lines of JSON. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { OutputLine } from "./output-lines.ts";
import { OutputLines } from "./output-lines.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../e2e/fixtures/${name}`, import.meta.url));

export class DaemonProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exit: Promise<{ code: number | null; signal: string | null }>;
  readonly #outputEnd: Promise<unknown>;
  readonly #printed = new OutputLines();
  #errors = "";

  /** `timeoutMs`: how long it waits for a worker to exit before it kills it. */
  static supervisor(home: string, behaviour: string, timeoutMs: number): DaemonProcess {
    return new DaemonProcess([process.execPath, fixture("supervisor.mjs"), home, behaviour, String(timeoutMs)]);
  }

  /** A worker without a supervisor. */
  static worker(home: string, behaviour: string): DaemonProcess {
    return new DaemonProcess([process.execPath, fixture("worker.mjs"), home, behaviour]);
  }

  /** Any program that prints lines of JSON. */
  static program(command: readonly string[], env: NodeJS.ProcessEnv): DaemonProcess {
    return new DaemonProcess(command, env);
  }

  private constructor([command = "", ...args]: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true, env });
    this.#exit = once(this.#child, "exit").then(([code, signal]) => ({ code, signal }));
    this.#child.stderr.on("data", (chunk) => {
      this.#errors += chunk;
    });
    const lines = createInterface(this.#child.stdout);
    lines.on("line", (line) => this.#printed.add(line));
    this.#outputEnd = once(lines, "close").then(() => this.#printed.end());
  }

  get errors(): string {
    return this.#errors;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** What the supervisor and its workers printed. */
  get lines(): readonly OutputLine[] {
    return this.#printed.all;
  }

  /** The first matching line that was not returned before. Two processes write, so the order means nothing. */
  waitForLine(expected: OutputLine): Promise<OutputLine> {
    return this.#printed.waitFor(expected, () => this.#errors);
  }

  /** The process id of the next worker that is ready. */
  async readyWorker(): Promise<number> {
    const { pid } = await this.waitForLine({ event: "worker_started" });
    await this.waitForLine({ event: "worker_ready" });
    return Number(pid);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Like a terminal: to the whole process group, which is not the tests' own. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** How the process exited. */
  exit(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exit;
  }

  /** Resolves when every process that could print has exited: the supervisor, and the worker that it left behind. */
  async outputEnd(): Promise<void> {
    await this.#outputEnd;
  }

  /** Stops it with two signals, and kills it if that takes too long. */
  async end(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGINT"] as const) if (!isGone(this.pid)) this.#child.kill(signal);
    const timeout = new AbortController();
    await Promise.race([this.#outputEnd, wait(60_000, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
    await this.dispose();
  }

  /** Kills everything that is left, for tests that failed midway. */
  async dispose(): Promise<void> {
    const pids = this.lines.flatMap(({ pid }) => (typeof pid === "number" ? [pid] : []));
    for (const pid of new Set([this.pid, ...pids])) if (!isGone(pid)) process.kill(pid, "SIGKILL");
    await this.#outputEnd;
  }
}

/** A zombie counts as dead: if process 1 is not an init, orphans stay zombies. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // No such file: it has exited since, or this is not Linux.
    return process.platform === "linux";
  }
}
