/** A whole Waybill with lanes on the real pi. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/platform/clock.ts";
import { pi } from "../../../src/runtimes/pi/descriptor.ts";
import type { PiOptions } from "../../../src/runtimes/pi/runtime.ts";
import { PiRuntime } from "../../../src/runtimes/pi/runtime.ts";
import type { ProcessRecord } from "../../../src/runtimes/process-pool/process-record.ts";
import type { AgentWorldOptions } from "../agents/agent-world.ts";
import { AgentWorld } from "../agents/agent-world.ts";
import { onlyProgram } from "../agents/only-program.ts";

/** The real program, installed for the tests. */
export const piBin = fileURLToPath(new URL("../../../node_modules/.pi/node_modules/.bin/pi", import.meta.url));

/** The home of a pi whose only model is the scripted one, with or without a key. */
export function piEnvironment(home: string, modelUrl: string): Record<string, string> {
  const agent = join(home, ".pi", "agent");
  mkdirSync(agent, { recursive: true });
  const model = { id: "scripted", reasoning: true, input: ["text", "image"], contextWindow: 100_000, maxTokens: 4000 };
  const scripted = { baseUrl: modelUrl, api: "anthropic-messages", apiKey: "x", models: [model] };
  // Its key is the output of a command, and that command fails.
  const keyless = { ...scripted, apiKey: "!false" };
  writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { scripted, keyless } }));
  writeFileSync(join(agent, "settings.json"), JSON.stringify({ retry: { baseDelayMs: 50 } }));
  return { PATH: process.env.PATH ?? "", HOME: home };
}

export const scriptedModel = { provider: "scripted", model: "scripted", apiKey: null, maxSteps: 50 };

export class PiLanes extends AgentWorld {
  readonly home = join(this.directory, "home");
  readonly #pi: Partial<PiOptions>;

  constructor({ pi = {}, ...options }: AgentWorldOptions & { pi?: Partial<PiOptions> } = {}) {
    super(options);
    this.#pi = pi;
    mkdirSync(this.home);
  }

  /** The only program recorded for a lane. */
  program(lane = "lane"): ProcessRecord & { pid: number } {
    return onlyProgram(join(this.directory, "pi", "programs"), lane);
  }

  protected override makeRuntime(): PiRuntime {
    return new PiRuntime({
      agent: pi.agent,
      ...scriptedModel,
      program: piBin,
      env: piEnvironment(this.home, this.model.url),
      directory: join(this.directory, "pi"),
      clock: systemClock,
      idleMs: 60_000,
      maxResting: 5,
      onError: (error) => this.errors.push(error),
      ...this.#pi,
    });
  }
}
