/**
 * The daemon in the tests' own process: the worker's real wiring on a temporary home, without a supervisor. A requested
 * restart closes it and starts it again on the same home. Processes of agents are real, if a test configures any.
 */
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../../src/daemon/config/config.ts";
import { createLogger } from "../../../src/daemon/logging.ts";
import type { StartedWorker } from "../../../src/daemon/worker/worker.ts";
import { startWorker } from "../../../src/daemon/worker/worker.ts";
import type { Result } from "./daemon-home.ts";
import { DaemonHome } from "./daemon-home.ts";
import { runInProcess } from "./in-process-cli.ts";
import type { OutputLine } from "./output-lines.ts";
import { OutputLines } from "./output-lines.ts";

/** The daemon runs some of its own commands as processes: `waybill doctor`, and `waybill store check` in the background. */
const program = fileURLToPath(new URL("../../../bin/waybill", import.meta.url));

export class InProcessDaemon extends DaemonHome {
  readonly #log = new OutputLines();
  #worker: StartedWorker | null = null;
  /** Of a requested restart, which may fail. */
  #restarting: Promise<void> | null = null;

  get url(): string {
    return this.#running.ready.url;
  }

  get runId(): string {
    return this.#running.ready.runId;
  }

  /** Everything that it has logged, over all its starts. */
  get lines(): readonly OutputLine[] {
    return this.#log.all;
  }

  /** The first matching line that was not returned before. */
  waitForLine(expected: OutputLine): Promise<OutputLine> {
    return this.#log.waitFor(expected);
  }

  /** Resolves when it is ready; rejects if `waybill up` would refuse to start. */
  async up(env: Record<string, string> = {}): Promise<this> {
    process.argv[1] = program;
    const all = this.environment(env);
    const config = loadConfig(all);
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        this.#log.add(String(chunk));
        done();
      },
    });
    const log = createLogger({ level: config.logLevel, stream });
    const restart = () => {
      this.#restarting ??= this.#restart(env).finally(() => {
        this.#restarting = null;
      });
      this.#restarting.catch((error) => log.error({ err: error }, "The restart failed."));
    };
    const stopping = new AbortController().signal;
    this.#worker = await startWorker({ config, env: all, log, restart, stopping });
    return this;
  }

  /** Where the command line finds this daemon: no supervisor writes it into the home. */
  get clientEnvironment(): Record<string, string> {
    return { ...this.environment({}), WAYBILL_URL: this.url, WAYBILL_TOKEN: this.token };
  }

  /** Runs a command in this process. */
  run(args: readonly string[], { input = "" } = {}): Promise<Result> {
    return runInProcess(args, this.clientEnvironment, input);
  }

  /** As with two stop requests: running turns are not awaited, and the next start continues them. */
  async stop(): Promise<void> {
    await this.#restarting?.catch(() => {});
    await this.#close(false);
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.#log.end();
    this.remove();
  }

  async #restart(env: Record<string, string>): Promise<void> {
    await this.#close(true);
    await this.up(env);
  }

  async #close(restarting: boolean): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.drain(restarting ? new AbortController().signal : AbortSignal.abort());
    await worker?.close({ restarting });
  }

  get #running(): StartedWorker {
    if (!this.#worker) throw new Error("the daemon is not running");
    return this.#worker;
  }
}
