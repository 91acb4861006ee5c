/** A fixture for supervisors of OpenCode servers: separate homes, short waits, and a cleanup that leaves nothing behind. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerSettings } from "../../../src/runtimes/opencode/server/choose-server.ts";
import type { ServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import { readServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import type {
  ServerAddress,
  ServerEvent,
  ServerSupervisorOptions,
} from "../../../src/runtimes/opencode/server/server-supervisor.ts";
import { ServerSupervisor } from "../../../src/runtimes/opencode/server/server-supervisor.ts";
import { isAlive, processTable } from "../../../src/runtimes/process/process-table.ts";
import { opencodeBin, opencodeEnvironment } from "../opencode/opencode-server.ts";
import { freePort } from "./free-port.ts";

/** Short waits, but all the time that a loaded machine needs to print a version or to answer a probe. */
export const patientTimes = { firstWaitMs: 50, watchMs: 50, versionMs: 100_000, probeMs: 30_000, startMs: 120_000 };

export class SupervisorFixture {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-supervisor-")));
  /** The environment of every server, started by this process or by another. */
  readonly env: Record<string, string>;
  readonly events: ServerEvent[] = [];
  readonly #supervisors: ServerSupervisor[] = [];
  #port: number | null = null;

  constructor() {
    this.env = opencodeEnvironment(this.home);
    mkdirSync(join(this.home, "work"));
  }

  get directory(): string {
    return join(this.home, "opencode");
  }

  /** The intended address of the server. */
  async port(): Promise<number> {
    this.#port ??= await freePort();
    return this.#port;
  }

  /** Plain data, so that it can be passed to another process. */
  async options(
    settings: Partial<ServerSettings> = {},
    rest: Partial<ServerSupervisorOptions> = {},
  ): Promise<ServerSupervisorOptions> {
    const port = await this.port();
    return {
      settings: {
        opencodeBin,
        opencodeAttachUrl: `http://127.0.0.1:${port}`,
        opencodeAutoStart: true,
        opencodeServeHost: "127.0.0.1",
        opencodeServePort: port,
        ...settings,
      },
      directory: this.directory,
      env: this.env,
      times: patientTimes,
      ...rest,
    };
  }

  async supervisor(
    settings: Partial<ServerSettings> = {},
    rest: Partial<ServerSupervisorOptions> = {},
  ): Promise<ServerSupervisor> {
    const options = await this.options(settings, rest);
    const supervisor = new ServerSupervisor({ ...options, onEvent: (event) => this.events.push(event) });
    this.#supervisors.push(supervisor);
    return supervisor;
  }

  get record(): ServerRecord | null {
    return readServerRecord(this.directory);
  }

  /** A stand-in for OpenCode that reports `version`; `serve` is what it does as a server. */
  program(version: string, serve = ""): string {
    const path = join(this.home, "not-opencode");
    const lines = [
      "#!/usr/bin/env node",
      `if (process.argv[2] === "--version") console.log(${JSON.stringify(version)});`,
      `else { ${serve} }`,
    ];
    writeFileSync(path, lines.join("\n"));
    chmodSync(path, 0o755);
    return path;
  }

  async dispose(): Promise<void> {
    for (const supervisor of this.#supervisors) await supervisor.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The next address, or the next loss, that a supervisor reports. */
export function nextChange(supervisor: ServerSupervisor, wanted: "address" | "loss"): Promise<ServerAddress | null> {
  return new Promise((resolve) => {
    const unsubscribe = supervisor.onChange((address) => {
      if ((address === null) !== (wanted === "loss")) return;
      unsubscribe();
      resolve(address);
    });
  });
}

/** When a process started, which distinguishes it from a later one with the same id. */
export async function startOf(pid: number | null): Promise<string> {
  const row = (await processTable()).find((one) => one.pid === pid);
  if (!row) throw new Error(`no process ${pid}`);
  return row.start;
}

export const lives = (pid: number | null, start: string) => pid !== null && isAlive(pid, start);
