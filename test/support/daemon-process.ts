/** A supervisor as a process of its own, with a worker that behaves as the test wants. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const fixture = (name: string) => fileURLToPath(new URL(`../e2e/fixtures/${name}`, import.meta.url));

/** A line that the supervisor or its worker said. */
export type Said = Record<string, unknown>;

export class DaemonProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exit: Promise<{ code: number | null; signal: string | null }>;
  readonly #silence: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  readonly said: Said[] = [];
  readonly #heard = new Set<Said>();
  #errors = "";
  #silent = false;

  /** `patienceMs` is how long it waits for a worker to end before it kills it. */
  static supervisor(home: string, behaviour: string, patienceMs: number): DaemonProcess {
    return new DaemonProcess([process.execPath, fixture("supervisor.mjs"), home, behaviour, String(patienceMs)]);
  }

  /** A worker that nobody supervises. */
  static worker(home: string, behaviour: string): DaemonProcess {
    return new DaemonProcess([process.execPath, fixture("worker.mjs"), home, behaviour]);
  }

  /** The built program, or whatever else speaks in lines of JSON. */
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
    lines.on("line", (line) => {
      this.said.push(JSON.parse(line) as Said);
      for (const wake of this.#waiting) wake();
    });
    this.#silence = once(lines, "close").then(() => {
      this.#silent = true;
      for (const wake of this.#waiting) wake();
    });
  }

  get errors(): string {
    return this.#errors;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** The first line that fits and was not heard before. Two processes write, so nothing is made of their order. */
  async hear(wanted: Said): Promise<Said> {
    const fits = (line: Said) => Object.entries(wanted).every(([key, value]) => line[key] === value);
    for (;;) {
      const line = this.said.find((one) => !this.#heard.has(one) && fits(one));
      if (line) {
        this.#heard.add(line);
        return line;
      }
      if (this.#silent) throw new Error(`never said: ${JSON.stringify(wanted)}\n${this.#errors}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  /** The process id of the worker that is ready next. */
  async readyWorker(): Promise<number> {
    const { pid } = await this.hear({ event: "worker_started" });
    await this.hear({ event: "worker_ready" });
    return Number(pid);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As a terminal does: to the whole process group, which is not the tests' own. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** How the process itself ended. */
  exit(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exit;
  }

  /** Everything has ended that could say something: the process, and the worker that it left behind. */
  async silence(): Promise<void> {
    await this.#silence;
  }

  /** As a person in a hurry would, and then for good. */
  async end(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGINT"] as const) if (!isGone(this.pid)) this.#child.kill(signal);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, 15_000);
    });
    await Promise.race([this.#silence, patience]);
    clearTimeout(timer);
    await this.dispose();
  }

  /** Ends whatever is left, for tests that failed in the middle. */
  async dispose(): Promise<void> {
    const pids = this.said.flatMap(({ pid }) => (typeof pid === "number" ? [pid] : []));
    for (const pid of new Set([this.pid, ...pids])) if (!isGone(pid)) process.kill(pid, "SIGKILL");
    await this.#silence;
  }
}

/** Also one that nobody has buried yet is gone: where process 1 is no init, orphans stay as zombies. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // No such file: it has ended since, or this is no Linux.
    return process.platform === "linux";
  }
}
