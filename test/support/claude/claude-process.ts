/**
 * The real Claude Code as a process with a clean environment, driven by lines of JSON. Its output is kept in `lines`; a wait
 * also considers past lines, from an index on. A wait fails with the last lines when the process has exited, or after a
 * minute and a half, which only a hang takes.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const claudeBin = fileURLToPath(
  new URL("../../../node_modules/.claude-code/node_modules/.bin/claude", import.meta.url),
);

// biome-ignore lint/suspicious/noExplicitAny: lines of another program; a test reads what it needs.
export type ClaudeLine = Record<string, any>;

/** The start options of a lane; see docs/claude.md. */
export const claudeArguments = [
  "-p",
  ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
  ...["--include-partial-messages", "--replay-user-messages", "--permission-prompt-tool", "stdio"],
];

/** Without the developer's settings or the network; sockets and task output go to its own home. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: home,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "scripted",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    ENABLE_TOOL_SEARCH: "false",
  };
}

export type ClaudeStart = { args: readonly string[]; directory: string; env: Record<string, string> };

export class ClaudeProcess {
  readonly lines: ClaudeLine[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when it has exited and all its output was read. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = "";
  #ended = false;
  readonly #waiting = new Set<() => void>();

  constructor({ args, directory, env }: ClaudeStart) {
    this.child = spawn(claudeBin, [...claudeArguments, ...args], { cwd: directory, env, detached: true });
    // Writes to a dead process are lost, and its exit says why.
    this.child.stdin.on("error", () => {});
    this.child.stderr.on("data", (chunk) => {
      this.stderr += chunk;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line));
      this.#wake();
    });
    this.exited = once(this.child, "close").then(([code, signal]) => {
      this.#ended = true;
      this.#wake();
      return { code, signal };
    });
  }

  send(line: object): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** Returns the id under which the prompt was sent. */
  prompt(text: string, uuid: string = randomUUID()): string {
    this.send({ type: "user", uuid, message: { role: "user", content: [{ type: "text", text }] } });
    return uuid;
  }

  request(subtype: string, more: object = {}): string {
    const request_id = randomUUID();
    this.send({ type: "control_request", request_id, request: { subtype, ...more } });
    return request_id;
  }

  answer(ask: ClaudeLine, response: object): void {
    const { request_id } = ask;
    this.send({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  /** The first matching line from the given index on. */
  async until(fits: (line: ClaudeLine) => boolean, from = 0): Promise<ClaudeLine> {
    const deadline = Date.now() + 90_000;
    for (;;) {
      const found = this.lines.slice(from).find(fits);
      if (found) return found;
      if (this.#ended || Date.now() > deadline) {
        const last = this.lines.slice(-5).map((line) => JSON.stringify(line).slice(0, 300));
        throw new Error(
          `Claude Code did not print the expected line: ${String(fits)}\n${last.join("\n")}${this.stderr}`,
        );
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 500);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  result(uuid: string): Promise<ClaudeLine> {
    return this.until((line) => line.type === "result" && line.user_message_uuids?.includes(uuid));
  }

  ask(from = 0): Promise<ClaudeLine> {
    return this.until((line) => line.type === "control_request", from);
  }

  /** Sent to the whole group, including tools. */
  kill(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.child.pid as number), signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  async stop(): Promise<void> {
    this.kill("SIGKILL");
    await this.exited;
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }
}
