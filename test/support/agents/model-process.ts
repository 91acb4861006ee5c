/** The scripted model as a separate process: whatever is killed around it, its log has every call that it got. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ModelCall, ModelScriptInput } from "@waybill/scripted-model";
import { readCalls } from "@waybill/scripted-model";

const main = fileURLToPath(new URL("../../../dist/scripted-model.js", import.meta.url));

export class ModelProcess {
  readonly #child;
  readonly #ended: Promise<unknown>;
  readonly #directory = mkdtempSync(join(tmpdir(), "waybill-model-"));
  readonly #log = join(this.#directory, "calls.jsonl");
  readonly url: Promise<string>;

  constructor(script: ModelScriptInput) {
    const scriptPath = join(this.#directory, "script.json");
    writeFileSync(scriptPath, JSON.stringify(script));
    const stdio = ["ignore", "pipe", "inherit"] as const;
    this.#child = spawn(process.execPath, [main, "--script", scriptPath, "--log", this.#log], { stdio: [...stdio] });
    this.#ended = once(this.#child, "close");
    this.url = once(createInterface(this.#child.stdout), "line").then(([line]) => JSON.parse(line).url);
  }

  get calls(): ModelCall[] {
    return existsSync(this.#log) ? readCalls(this.#log) : [];
  }

  /** Resolves once there is a matching call; rejects with the signal's reason. */
  async isCalled(fits: (call: ModelCall) => boolean, signal: AbortSignal): Promise<void> {
    let wake = () => {};
    const watcher = watch(this.#directory, () => wake());
    signal.addEventListener("abort", () => wake(), { once: true });
    try {
      while (!this.calls.some(fits)) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      watcher.close();
    }
  }

  async close(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
