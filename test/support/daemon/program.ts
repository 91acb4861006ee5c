/** The built program as a user runs it: `waybill …` as a process, with its own home and configuration. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DaemonFile } from "../../../src/daemon/supervisor/daemon-file.ts";
import { readDaemonFile } from "../../../src/daemon/supervisor/daemon-file.ts";
import { readServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import { endProcessTree } from "../../../src/runtimes/process/process-tree.ts";
import { readProcessRecords } from "../../../src/runtimes/process-pool/process-record.ts";
import type { Result } from "./daemon-home.ts";
import { DaemonHome } from "./daemon-home.ts";
import { DaemonProcess, isGone } from "./daemon-process.ts";

const program = fileURLToPath(new URL("../../../bin/waybill", import.meta.url));
/** The same with one file for each module, so that a preloaded file can change one of them. */
const programOfModules = fileURLToPath(new URL("waybill-of-modules.mjs", import.meta.url));

export type RunOptions = {
  input?: string;
  env?: Record<string, string>;
  /** A command that runs it, such as one that gives it separate mounts. */
  within?: readonly string[];
  onOutput?: (text: string, child: ChildProcess) => void;
};

export class Program extends DaemonHome {
  readonly #path: string;
  readonly #started: DaemonProcess[] = [];

  constructor(env: Record<string, string> = {}, { ofModules = false } = {}) {
    super(env);
    this.#path = ofModules ? programOfModules : program;
  }

  /** For callers that run it in another way. */
  command(...args: string[]): { command: string; args: string[] } {
    return { command: process.execPath, args: [this.#path, ...args] };
  }

  /** Runs a command to its end. */
  run(args: readonly string[], { input = "", env = {}, within = [], onOutput }: RunOptions = {}): Promise<Result> {
    const [command = "", ...rest] = [...within, process.execPath, this.#path, ...args];
    return new Promise((resolve) => {
      const child = spawn(command, rest, { env: this.environment(env) });
      const result = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const) {
        child[name].on("data", (chunk) => {
          result[name] += chunk;
          onOutput?.(String(chunk), child);
        });
      }
      child.on("close", (code) => resolve({ code, ...result }));
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }

  /** `waybill up`, ready. */
  async up(env: Record<string, string> = {}, within: readonly string[] = []): Promise<DaemonProcess> {
    const daemon = this.start(["up"], env, within);
    await daemon.waitForLine({ event: "daemon_ready" });
    await this.#waitForDaemonFile();
    return daemon;
  }

  /** A worker without a supervisor, ready. Nothing starts another one when it dies. */
  async worker(env: Record<string, string> = {}): Promise<DaemonProcess> {
    const worker = this.start(["worker"], env);
    await worker.waitForLine({ event: "daemon_ready" });
    return worker;
  }

  start(args: readonly string[], env: Record<string, string> = {}, within: readonly string[] = []): DaemonProcess {
    const daemon = DaemonProcess.program([...within, process.execPath, this.#path, ...args], this.environment(env));
    this.#started.push(daemon);
    return daemon;
  }

  get daemonFile(): DaemonFile {
    const file = readDaemonFile(this.home);
    if (!file) throw new Error("no daemon is running");
    return file;
  }

  get url(): string {
    return this.daemonFile.url ?? "";
  }

  /** Kills only the worker, like a crash; its supervisor starts another one. Returns the process id. */
  killWorker(): number {
    const { workerPid } = this.daemonFile;
    if (workerPid === null) throw new Error("there is no worker");
    process.kill(workerPid, "SIGKILL");
    return workerPid;
  }

  /** Kills the whole daemon, like a crash: the supervisor first, so that it cannot start another worker. */
  async kill(): Promise<void> {
    const { supervisorPid, workerPid } = this.daemonFile;
    const pids = [supervisorPid, workerPid].filter((pid) => pid !== null);
    for (const pid of pids) if (!isGone(pid)) process.kill(pid, "SIGKILL");
    for (const pid of pids) while (!isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async dispose(): Promise<void> {
    for (const daemon of this.#started) await daemon.end();
    await this.#endAgents();
    this.remove();
  }

  /** An agent's program outlives a killed daemon, and here no next start ends it. */
  async #endAgents(): Promise<void> {
    for (const state of [this.home, join(this.home, "demo")]) {
      const server = readServerRecord(join(state, "opencode-server"));
      const programs = [...(server ? [server] : []), ...readProcessRecords(join(state, "claude", "programs"))];
      for (const program of programs) await endProcessTree(program, 0);
    }
  }

  /** The worker's log line may come before its supervisor has written daemon.json. */
  async #waitForDaemonFile(): Promise<void> {
    while (!readDaemonFile(this.home)?.url) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
