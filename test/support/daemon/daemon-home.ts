/** A temporary home with a configuration for one daemon, and what a running daemon leaves there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WaybillClient } from "../../../src/client/index.ts";
import type { JournalEntry } from "../../../src/runtimes/stub/journal.ts";
import { readJournal } from "../../../src/runtimes/stub/journal.ts";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";

/** Waits of milliseconds instead of seconds, for agents that act immediately. */
export const quickDelivery = {
  retryDelaysMs: [200],
  graceMs: 300,
  graceForTaskMs: 300,
  rereadMs: 100,
  firstReconcileDelayMs: 100,
  maxReconcileDelayMs: 500,
};

/** How a command ended. */
export type Result = { code: number | null; stdout: string; stderr: string };

export abstract class DaemonHome {
  readonly directory = mkdtempSync(join(tmpdir(), "waybill-program-"));
  readonly home = join(this.directory, "home");
  readonly work = join(this.directory, "work");
  env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    mkdirSync(this.work);
    this.env = { HOME: this.directory, WAYBILL_HOME: this.home, NO_COLOR: "1", PORT: "0", ...env };
  }

  /** Where the running daemon listens. */
  abstract get url(): string;

  /** Stub lanes by id, with their scripts and short waits. */
  configure(lanes: Record<string, StubScriptInput>, settings: Record<string, unknown> = {}): void {
    const list = Object.entries(lanes).map(([id, script]) => ({ id, directory: this.work, script }));
    const config = { modelProvider: "stub", delivery: quickDelivery, lanes: list, ...settings };
    const path = join(this.directory, "config.json");
    writeFileSync(path, JSON.stringify(config));
    this.env.WAYBILL_CONFIG = path;
  }

  get token(): string {
    return readFileSync(join(this.home, "token"), "utf8").trim();
  }

  client(url = this.url): WaybillClient {
    return new WaybillClient({ url, token: this.token });
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, ...(init.headers as Record<string, string>) };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  /** The prompts in the journal of the stub runtime. */
  prompts(): Extract<JournalEntry, { type: "prompt" }>[] {
    return readJournal(join(this.home, "stub.jsonl")).filter((entry) => entry.type === "prompt");
  }

  /** Lets turns of the stub runtime pass a step `until: gate`. */
  openGate(gate: string): void {
    const gates = join(this.home, "gates");
    mkdirSync(gates, { recursive: true });
    writeFileSync(join(gates, gate), "");
  }

  /** Runs a command to its end. */
  abstract run(args: readonly string[]): Promise<Result>;

  /** Runs a command with `--json` that prints one line, and parses it. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(`waybill ${args.join(" ")}: exit code ${code}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Also stops a running daemon. */
  abstract dispose(): Promise<void>;

  protected environment(env: Record<string, string>): Record<string, string> {
    const { PATH = "", TMPDIR } = process.env;
    return { PATH, ...(TMPDIR ? { TMPDIR } : {}), ...this.env, ...env };
  }

  protected remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
