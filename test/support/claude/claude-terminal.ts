/**
 * The real interactive Claude Code with agent teams, as a person uses it in a terminal: with its own home, directory and
 * scripted model. It leads the team of its session. `until` checks again whenever a team file has changed or the model was
 * called.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelCall, ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import type { Terminal } from "../daemon/terminal.ts";
import { openTerminal } from "../daemon/terminal.ts";
import { DirectoryWatch } from "../files/directory-watch.ts";
import type { InboxRow } from "../teams/team-inbox.ts";
import { addRows, readInbox } from "../teams/team-inbox.ts";
import { claudeBin, claudeEnvironment } from "./claude-process.ts";

export type TeamConfig = {
  name: string;
  leadSessionId: string;
  leadProcess: { pid: number };
  members: { agentId: string; name: string; joinedAt?: number; tmuxPaneId?: string; backendType?: string }[];
};

/** Rules for any script: `make NAME` makes the lead create a teammate, which reports that it is ready. */
export const memberRules: NonNullable<ModelScriptInput["rules"]> = [
  {
    when: "/^make (\\w+)$/",
    steps: [
      {
        tools: [
          {
            tool: "Agent",
            input: { name: "{{1}}", description: "helps", prompt: "be ready", subagent_type: "general-purpose" },
          },
        ],
      },
      { say: "Made." },
    ],
  },
  { when: "\nbe ready\n", steps: [{ say: "I am ready." }] },
];

/** Bounds a hang. */
const timeoutMs = 60_000;

export class ClaudeTerminal {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-claude-")));
  readonly directory = join(this.home, "work");
  readonly teams = join(this.home, ".claude", "teams");
  readonly session = randomUUID();
  readonly team = join(this.teams, `session-${this.session.slice(0, 8)}`);
  model!: ScriptedModel;
  terminal!: Terminal;
  readonly #watch = new DirectoryWatch([this.teams, this.team, join(this.team, "inboxes")]);

  /** Nothing runs until `start`. */
  async open(script: ModelScriptInput = {}): Promise<this> {
    mkdirSync(this.directory);
    mkdirSync(this.teams, { recursive: true });
    this.#watch.start();
    const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const approved = { approved: ["scripted"], rejected: [] };
    const settings = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: approved };
    writeFileSync(
      join(this.home, ".claude.json"),
      JSON.stringify({ ...settings, projects: { [this.directory]: project } }),
    );
    this.model = await startScriptedModel({ script, onCall: () => this.#watch.notify() });
    return this;
  }

  get env(): Record<string, string> {
    // Teammates work in the background.
    const { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: _, ...environment } = claudeEnvironment(this.home, this.model.url);
    return { ...environment, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };
  }

  /** Resolves when it waits for a prompt. Shell commands pass without an ask. */
  async start(args: readonly string[] = ["--session-id", this.session]): Promise<this> {
    const all = [...args, "--permission-mode", "default", "--allowedTools", "Bash"];
    const place = { env: this.env, cwd: this.directory, columns: 140, rows: 45 };
    this.terminal = openTerminal({ command: claudeBin, args: all, ...place });
    await this.terminal.waitFor("? for shortcuts", timeoutMs);
    return this;
  }

  /** Types a one-line prompt for the lead. Enter is sent separately: together with the text it would count as pasted. */
  async prompt(text: string): Promise<void> {
    this.terminal.type(text);
    const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    await this.terminal.waitFor(new RegExp(`─\n❯.${escaped}$`, "m"), timeoutMs);
    this.terminal.press("enter");
  }

  /** Creates a teammate, with `memberRules`. Resolves when it is idle and the lead knows. */
  async makeMember(name: string): Promise<void> {
    const from = this.model.calls.length;
    await this.prompt(`make ${name}`);
    const ready = new RegExp(`"idle_notification","from":"${name}".*"result":"I am ready."`);
    await this.call(({ prompt }) => ready.test(prompt), from);
  }

  /** Claude Code writes this file in place, so it may be unparsable for a moment. */
  config(): TeamConfig | null {
    const path = join(this.team, "config.json");
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
  }

  memberNames(): string[] {
    return this.config()?.members.map(({ name }) => name) ?? [];
  }

  /** Exactly these, in this order. The program may show something before it has written the file. */
  hasMembers(...names: string[]): Promise<true> {
    return this.until(`the membership of ${names}`, () => this.memberNames().join() === names.join());
  }

  inboxPath(name: string): string {
    return join(this.team, "inboxes", `${name}.json`);
  }

  inbox(name: string): InboxRow[] | null {
    return readInbox(this.inboxPath(name));
  }

  /** As a third process. */
  write(name: string, ...rows: readonly unknown[]): Promise<void> {
    return addRows(this.inboxPath(name), rows);
  }

  /** The result of `look`, as soon as there is one. */
  async until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
    return this.#watch.until(look, timeoutMs, () => `${what} did not happen:\n${this.terminal.screen()}`);
  }

  /** The first matching call of the model, from an index on. */
  call(fits: (call: ModelCall) => boolean, from = 0): Promise<ModelCall> {
    return this.until(`a call of the model ${fits}`, () => this.model.calls.slice(from).find(fits));
  }

  taken(name: string): Promise<true> {
    return this.until(`the taking of all rows of ${name}`, () => this.inbox(name)?.length === 0);
  }

  /** Leaves with /exit, and confirms if it asks because teammates are working. */
  async exit(): Promise<number> {
    await this.prompt("/exit");
    const asked = this.terminal.waitFor("Exit and stop tasks", timeoutMs);
    asked.then(
      () => this.terminal.press("enter"),
      () => {}, // It exited without asking.
    );
    return this.terminal.exited;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<number> {
    process.kill(this.terminal.pid, signal);
    return this.terminal.exited;
  }

  async close(): Promise<void> {
    await this.terminal?.close();
    this.#watch.close();
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
