/**
 * The built Waybill as a process, with the real Claude Code in its lanes and a scripted model, for OpenCode's own clients to
 * connect to.
 */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelCall, ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import { quickDelivery } from "../daemon/daemon-home.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { freePort } from "../daemon/free-port.ts";
import { Program } from "../daemon/program.ts";
import type { ClientOptions } from "../opencode/opencode-clients.ts";
import { claudeBin, claudeEnvironment } from "./claude-process.ts";

export class ClaudeDaemon {
  readonly program = new Program();
  readonly #work = realpathSync(this.program.work);
  /** The agent's instructions at the model's last call for a prompt, by prompt. */
  readonly instructions = new Map<string, string>();
  /** On every call of the model. */
  onCall: () => void = () => {};
  model!: ScriptedModel;
  daemon!: DaemonProcess;

  /** Each lane has its own directory. In the `allowed` ones Claude Code asks for nothing. */
  async start(
    script: ModelScriptInput,
    lanes: readonly string[],
    allowed: readonly string[] = [],
    settings: Record<string, unknown> = {},
  ): Promise<this> {
    const { program } = this;
    const onCall = ({ kind, prompt }: ModelCall, system: string) => {
      if (kind === "turn") this.instructions.set(prompt, system);
      this.onCall();
    };
    this.model = await startScriptedModel({ script, onCall });
    const { PATH: _path, ...env } = claudeEnvironment(program.directory, this.model.url);
    // Ports that are the same after a restart.
    const ports = { PORT: String(await freePort()), WAYBILL_OPENCODE_API_PORT: String(await freePort()) };
    Object.assign(program.env, env, ports);
    for (const lane of lanes) furnish(this.directoryOf(lane), allowed.includes(lane));
    const listed = lanes.map((id) => ({ id, directory: this.directoryOf(id), runtime: "claude" }));
    const own = { modelProvider: "claude_code", claudeBin, delivery: quickDelivery, lanes: listed };
    program.configure({}, { ...own, ...settings });
    this.daemon = await program.up();
    return this;
  }

  directoryOf(lane: string): string {
    return join(this.#work, lane);
  }

  /** For OpenCode's clients: at the root, as on OpenCode's own server. */
  get url(): string {
    return this.program.daemonFile.opencodeApiUrl ?? "";
  }

  /** The same under a path of the daemon's own address. */
  get urlWithPath(): string {
    return `${this.program.daemonFile.url}/opencode`;
  }

  get authorization(): string {
    return `Bearer ${this.program.token}`;
  }

  /** For OpenCode's programs, in the directory of the lane. */
  in(lane: string, ...args: string[]): ClientOptions {
    return { url: this.url, password: this.program.token, directory: this.directoryOf(lane), args };
  }

  /** Kills the worker like a crash, and resolves when the next one is ready. */
  async crash(): Promise<void> {
    this.program.killWorker();
    await this.daemon.waitForLine({ event: "daemon_ready" });
  }

  async dispose(): Promise<void> {
    await this.program.dispose();
    await this.model?.close();
  }
}

function furnish(directory: string, allowed: boolean): void {
  mkdirSync(join(directory, ".claude"), { recursive: true });
  writeFileSync(join(directory, "README.md"), "# Project\n\nOne line.\n");
  const settings = { permissions: { allow: allowed ? ["Bash"] : [] } };
  writeFileSync(join(directory, ".claude", "settings.json"), JSON.stringify(settings));
}
