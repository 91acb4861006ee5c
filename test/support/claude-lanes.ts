/** A whole Waybill with lanes on the real Claude Code. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import type { ClaudeOptions } from "../../src/runtimes/claude/claude-runtime.ts";
import { ClaudeRuntime } from "../../src/runtimes/claude/claude-runtime.ts";
import type { AgentWorldOptions } from "./agent-world.ts";
import { AgentWorld } from "./agent-world.ts";
import { claudeBin, claudeEnvironment } from "./claude-process.ts";

export class ClaudeLanes extends AgentWorld {
  readonly home = join(this.directory, "home");
  readonly #claude: Partial<ClaudeOptions>;

  constructor({ claude = {}, ...options }: AgentWorldOptions & { claude?: Partial<ClaudeOptions> } = {}) {
    super(options);
    this.#claude = claude;
    mkdirSync(this.home);
  }

  protected override runtime(): ClaudeRuntime {
    return new ClaudeRuntime({
      program: claudeBin,
      env: claudeEnvironment(this.home, this.model.url),
      directory: join(this.directory, "claude"),
      clock: systemClock,
      idleMs: 60_000,
      mostResting: 5,
      onTrouble: (error) => this.troubles.push(error),
      ...this.#claude,
    });
  }
}
