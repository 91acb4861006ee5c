/** A home, a directory and a scripted model for real Claude Code processes, and the files that they write. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import type { ClaudeLine } from "./claude-process.ts";
import { ClaudeProcess, claudeEnvironment } from "./claude-process.ts";

export class ClaudeWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-claude-")));
  readonly directory = join(this.home, "work");
  readonly #processes: ClaudeProcess[] = [];
  model!: ScriptedModel;

  async open(script: ModelScriptInput = {}): Promise<this> {
    mkdirSync(this.directory);
    this.model = await startScriptedModel({ script });
    return this;
  }

  start(args: readonly string[], env: Record<string, string> = {}): ClaudeProcess {
    const all = { ...claudeEnvironment(this.home, this.model.url), ...env };
    const started = new ClaudeProcess({ args, directory: this.directory, env: all });
    this.#processes.push(started);
    return started;
  }

  /** The folder is named after the directory, with a dash for every character that is not a letter or digit. */
  transcriptPath(session: string): string {
    const folder = this.directory.replace(/[^a-zA-Z0-9]/g, "-");
    return join(this.home, ".claude", "projects", folder, `${session}.jsonl`);
  }

  rows(session: string): ClaudeLine[] {
    const path = this.transcriptPath(session);
    if (!existsSync(path)) return [];
    const whole = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return whole.map((line) => JSON.parse(line));
  }

  /** The program writes rows a moment after its output, so this waits for a row; the test's own timeout is the limit. */
  async row(session: string, fits: (row: ClaudeLine) => boolean): Promise<ClaudeLine> {
    for (;;) {
      const found = this.rows(session).find(fits);
      if (found) return found;
      await wait(20);
    }
  }

  /** How often the model was called in turns with this prompt. */
  asked(prompt: string): number {
    return this.model.calls.filter((call) => call.kind === "turn" && call.prompt === prompt).length;
  }

  async modelIsAsked(prompt: string, times = 1): Promise<void> {
    while (this.asked(prompt) < times) await wait(20);
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
