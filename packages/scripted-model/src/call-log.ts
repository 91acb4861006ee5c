/**
 * All calls of the model. With a file, each call is written and synced before it is answered, so that a test that kills
 * every process can count them, and used rules stay used after a restart.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { IsUsed, RequestKind } from "./choose-answer.ts";
import type { RequestFile } from "./model-request.ts";
import type { ModelScript } from "./script.ts";

export type ModelCall = {
  id: number;
  at: number;
  api: "openai" | "anthropic";
  kind: RequestKind;
  /** The user's newest text. */
  prompt: string;
  /** The index of the step; at least the number of steps if the rule has none left. */
  step: number;
  /** Null if no rule matched. */
  rule: number | null;
  tools: readonly string[];
  /** The files of the whole conversation, in order. */
  files: readonly RequestFile[];
  /** The caller closed the connection before the end of the answer, or the model was closed. */
  aborted: boolean;
  /** When the answer ended, complete or not. */
  endedAt: number | null;
};

type Line =
  | { type: "script"; hash: string }
  | ({ type: "call" } & ModelCall)
  | { type: "end"; id: number; at: number; aborted: boolean };

export class CallLog {
  readonly calls: ModelCall[] = [];
  readonly #descriptor: number | null;
  #used = new Set<string>();
  #hash = "";
  #nextId = 0;

  constructor(path: string | undefined) {
    if (path === undefined) {
      this.#descriptor = null;
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { lines, bytes } = readLines(path);
    for (const line of lines) this.#apply(line);
    if (existsSync(path)) truncateSync(path, bytes);
    this.#descriptor = openSync(path, "a", 0o600);
  }

  /** Starts a script: its rules are unused. */
  begin(script: ModelScript): void {
    this.#write({ type: "script", hash: hashOf(script) });
  }

  /** Continues the script that the file ends with, or begins this one. */
  resume(script: ModelScript): void {
    if (hashOf(script) !== this.#hash) this.begin(script);
  }

  add(call: Omit<ModelCall, "id" | "aborted" | "endedAt">): ModelCall {
    const added = { id: this.#nextId, ...call, aborted: false, endedAt: null };
    this.#write({ type: "call", ...added });
    this.calls.push(added);
    return added;
  }

  end(call: ModelCall, at: number, aborted: boolean): void {
    Object.assign(call, { endedAt: at, aborted });
    this.#write({ type: "end", id: call.id, at, aborted });
  }

  isUsed: IsUsed = (rule, step) => this.#used.has(step === undefined ? `${rule}` : `${rule}.${step}`);

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }

  #write(line: Line): void {
    this.#apply(line);
    if (this.#descriptor === null) return;
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#descriptor);
  }

  #apply(line: Line): void {
    if (line.type === "script") {
      this.#hash = line.hash;
      this.#used = new Set();
    }
    if (line.type !== "call") return;
    this.#nextId = line.id + 1;
    if (line.kind === "turn") this.#used.add(`${line.rule}`).add(`${line.rule}.${line.step}`);
  }
}

function hashOf(script: ModelScript): string {
  return createHash("sha256").update(JSON.stringify(script)).digest("hex").slice(0, 16);
}

/** All calls in a log, even one that is still being written. */
export function readCalls(path: string): ModelCall[] {
  const calls = new Map<number, ModelCall>();
  for (const line of readLines(path).lines) {
    if (line.type === "call") {
      const { type: _type, ...call } = line;
      calls.set(call.id, call);
    } else if (line.type === "end") {
      Object.assign(calls.get(line.id) ?? {}, { endedAt: line.at, aborted: line.aborted });
    }
  }
  return [...calls.values()];
}

/** A crash may have truncated the last line; that call was never answered. */
function readLines(path: string): { lines: Line[]; bytes: number } {
  const content = existsSync(path) ? readFileSync(path, "utf8") : "";
  const whole = content.slice(0, content.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").filter((line) => line !== "");
  return { lines: lines.map((line) => JSON.parse(line) as Line), bytes: Buffer.byteLength(whole) };
}
