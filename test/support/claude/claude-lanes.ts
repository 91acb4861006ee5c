/** A whole Waybill with lanes on the real Claude Code. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../../src/platform/clock.ts";
import { claude } from "../../../src/runtimes/claude/descriptor.ts";
import type { ClaudeOptions } from "../../../src/runtimes/claude/runtime.ts";
import { ClaudeRuntime } from "../../../src/runtimes/claude/runtime.ts";
import type { ProcessRecord } from "../../../src/runtimes/process-pool/process-record.ts";
import type { AgentWorldOptions } from "../agents/agent-world.ts";
import { AgentWorld } from "../agents/agent-world.ts";
import { onlyProgram } from "../agents/only-program.ts";
import { claudeBin, claudeEnvironment } from "./claude-process.ts";

export class ClaudeLanes extends AgentWorld {
  readonly home = join(this.directory, "home");
  readonly #claude: Partial<ClaudeOptions>;

  constructor({ claude = {}, ...options }: AgentWorldOptions & { claude?: Partial<ClaudeOptions> } = {}) {
    super(options);
    this.#claude = claude;
    mkdirSync(this.home);
  }

  /** The only program recorded for a lane. */
  program(lane = "lane"): ProcessRecord & { pid: number } {
    return onlyProgram(join(this.directory, "claude", "programs"), lane);
  }

  /** Resolves when the transcript has a tool call without a result. */
  async toolRuns(sessionId: string): Promise<void> {
    const runtime = this.waybill.runtimes.get("claude");
    const lane = await this.waybill.store.lane("lane");
    if (!runtime || !lane) throw new Error("there is no lane on Claude Code");
    for (;;) {
      const { rows } = await runtime.read(lane, sessionId, 5, AbortSignal.timeout(60_000));
      if (rows.at(-1)?.tools.some(({ status }) => status === "running")) return;
      await wait(20);
    }
  }

  protected override makeRuntime(): ClaudeRuntime {
    return new ClaudeRuntime({
      agent: claude.agent,
      program: claudeBin,
      env: claudeEnvironment(this.home, this.model.url),
      directory: join(this.directory, "claude"),
      clock: systemClock,
      idleMs: 60_000,
      maxResting: 5,
      onError: (error) => this.errors.push(error),
      ...this.#claude,
    });
  }
}
