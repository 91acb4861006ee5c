/**
 * Every call that the model got. In a file, each is written and synced before it is answered, so that a test which
 * kills everything can count them from outside; and what a script used up is still used up after a restart.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Kind, UsedUp } from "./pick.ts";
import type { Script } from "./script.ts";

export type Call = {
  id: number;
  at: number;
  api: "openai" | "anthropic";
  kind: Kind;
  /** The user's newest text. */
  prompt: string;
  /** Counted from 0; as many as there are steps, or more, where the script was at its end. */
  step: number;
  /** Null where no rule fitted. */
  rule: number | null;
  tools: readonly string[];
  /** The caller went away before the end of the answer, or the model was closed. */
  aborted: boolean;
  /** When the answer ended, one way or the other. */
  endedAt: number | null;
};

type Line =
  | { type: "script"; hash: string }
  | ({ type: "call" } & Call)
  | { type: "end"; id: number; at: number; aborted: boolean };

export class CallLog {
  readonly calls: Call[] = [];
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
    for (const line of lines) this.#remember(line);
    if (existsSync(path)) truncateSync(path, bytes);
    this.#descriptor = openSync(path, "a", 0o600);
  }

  /** A script begins anew: what was used up of the last says nothing about its rules. */
  begin(script: Script): void {
    this.#write({ type: "script", hash: hashOf(script) });
  }

  /** Goes on with the script that the file ends with, or begins this one. */
  resume(script: Script): void {
    if (hashOf(script) !== this.#hash) this.begin(script);
  }

  add(call: Omit<Call, "id" | "aborted" | "endedAt">): Call {
    const added = { id: this.#nextId, ...call, aborted: false, endedAt: null };
    this.#write({ type: "call", ...added });
    this.calls.push(added);
    return added;
  }

  end(call: Call, at: number, aborted: boolean): void {
    call.endedAt = at;
    call.aborted = aborted;
    this.#write({ type: "end", id: call.id, at, aborted });
  }

  isUsed: UsedUp = (rule, step) => this.#used.has(step === undefined ? `${rule}` : `${rule}.${step}`);

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }

  #write(line: Line): void {
    this.#remember(line);
    if (this.#descriptor === null) return;
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#descriptor);
  }

  #remember(line: Line): void {
    if (line.type === "script") {
      this.#hash = line.hash;
      this.#used = new Set();
    }
    if (line.type !== "call") return;
    this.#nextId = line.id + 1;
    if (line.kind === "turn") this.#used.add(`${line.rule}`).add(`${line.rule}.${line.step}`);
  }
}

function hashOf(script: Script): string {
  return createHash("sha256").update(JSON.stringify(script)).digest("hex").slice(0, 16);
}

/** All calls in a log, also one that is still being written. */
export function readCalls(path: string): Call[] {
  const calls = new Map<number, Call>();
  for (const line of readLines(path).lines) {
    if (line.type === "call") {
      const { type: _type, ...call } = line;
      calls.set(call.id, call);
    }
    const ended = line.type === "end" ? calls.get(line.id) : undefined;
    if (line.type === "end" && ended) Object.assign(ended, { endedAt: line.at, aborted: line.aborted });
  }
  return [...calls.values()];
}

/** A last line without its end was cut off by a crash: that call was never answered. */
function readLines(path: string): { lines: Line[]; bytes: number } {
  const content = existsSync(path) ? readFileSync(path, "utf8") : "";
  const whole = content.slice(0, content.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").filter((line) => line !== "");
  return { lines: lines.map((line) => JSON.parse(line) as Line), bytes: Buffer.byteLength(whole) };
}
