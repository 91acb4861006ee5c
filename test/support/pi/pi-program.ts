/** A real pi process with a scripted model, driven like the runtime does, and everything that it prints and writes. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import type { Lane } from "../../../src/core/lane/lane.ts";
import type { Json } from "../../../src/runtimes/json-fields.ts";
import { jsonIn } from "../../../src/runtimes/json-fields.ts";
import { piArguments } from "../../../src/runtimes/pi/arguments.ts";
import { RpcClient } from "../../../src/runtimes/pi/client.ts";
import { piEnvironment as environmentOf } from "../../../src/runtimes/pi/environment.ts";
import { splitLines } from "../../../src/runtimes/process-pool/program-output.ts";
import { piBin, piEnvironment, scriptedModel } from "./pi-lanes.ts";

export class PiWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-pi-")));
  readonly directory = join(this.home, "work");
  readonly #programs: PiProgram[] = [];
  model!: ScriptedModel;

  async open(script: ModelScriptInput = {}): Promise<this> {
    mkdirSync(this.directory);
    this.model = await startScriptedModel({ script });
    return this;
  }

  sessionFile(name: string): string {
    return join(this.home, "sessions", `${name}.jsonl`);
  }

  rows(name: string): Json[] {
    const path = this.sessionFile(name);
    const whole = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    return whole.map((line) => jsonIn(line) ?? {});
  }

  start(session: string, options: { args?: string[]; directory?: string; maxSteps?: number } = {}): PiProgram {
    const { args = [], directory = this.directory, maxSteps = 9 } = options;
    const lane = { model: null } as Lane;
    const { provider, model } = scriptedModel;
    const own = piArguments({ lane, sessionFile: this.sessionFile(session), provider, model, systemPrompt: null });
    const rules = { policy: "safe" as const, denied: [], maxSteps };
    const env = environmentOf({ env: piEnvironment(this.home, this.model.url), rules, provider, apiKey: null });
    const child = spawn(piBin, [...own, ...args], { cwd: directory, env });
    const program = new PiProgram(child);
    this.#programs.push(program);
    return program;
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map((one) => one.kill()));
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export class PiProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly client: RpcClient;
  /** Its output, interleaved with the commands that it got, under the type `told`. */
  lines: Json[] = [];
  words = "";
  readonly exit: Promise<unknown>;
  readonly #wakers = new Set<() => void>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exit = once(child, "exit");
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk) => {
      this.words += chunk;
    });
    this.client = new RpcClient({
      write: (line) => {
        this.lines.push({ type: "told", line });
        child.stdin.write(`${JSON.stringify(line)}\n`);
      },
      now: () => Date.now(),
      onIdle: () => {},
      onChange: () => {},
    });
    splitLines(child.stdout, (text) => {
      const line = jsonIn(text) ?? { type: "unparsed", text };
      this.lines.push(line);
      this.client.receive(line);
      for (const wake of this.#wakers) wake();
      this.#wakers.clear();
    });
  }

  async ready(): Promise<this> {
    await this.client.request("get_state");
    return this;
  }

  async hears(fits: (line: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.#wakers.add(resolve));
    }
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#wakers.add(resolve));
  }

  /** Sends a prompt, and waits for the end of the turn. */
  async turn(text: string): Promise<void> {
    await this.client.prompt(text);
    await this.until(() => !this.client.isWorking);
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await this.exit;
  }
}
