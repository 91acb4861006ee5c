/** Processes that append rows to one inbox file: ours, and other programs with and without its lock. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { InboxDirectory } from "./inbox-directory.ts";
import { aRow } from "./inbox-directory.ts";

export type Outcome = { id: string; outcome: string; problem?: string; error?: string };
type Restored = { outcome: string; restored: string[]; gone: string[] };
type Foreign = { ids: string[]; refusals: number; invalid: number; reads: number };
type Child = ChildProcessByStdio<Writable, Readable, null>;

const run = (script: string, args: readonly string[], failPoint = ""): Child =>
  spawn(process.execPath, [fileURLToPath(new URL(`../../faults/${script}`, import.meta.url)), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, WAYBILL_FAIL_POINT: failPoint },
  });

/** One of our processes and its output. */
export class Writer {
  readonly #child: Child;
  /** Resolves with the signal that killed it, if any. */
  readonly ended: Promise<string | null>;
  readonly outcomes: Outcome[] = [];
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[], failPoint?: string) {
    this.#child = run("inbox-writer.mjs", args, failPoint);
    this.ended = once(this.#child, "close").then(([, signal]) => signal as string | null);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Resolves once it has tried to append all of its rows, or is dead. */
  async appendAll(): Promise<Outcome[]> {
    for (;;) {
      const said = await this.#next<Outcome | "done">();
      if (said === null || said === "done") return this.outcomes;
      this.outcomes.push(said);
    }
  }

  async restore(): Promise<Restored> {
    this.#child.stdin.write("restore\n");
    const said = await this.#next<Restored>();
    if (said === null) throw new Error("the writer has died");
    return said;
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.ended;
  }

  async #next<T>(): Promise<T | null> {
    const line = await this.#lines.next();
    return line.done ? null : (JSON.parse(line.value) as T);
  }
}

/** Another program that uses the inbox until it is told to end. */
export function startForeign(files: InboxDirectory, kind: "reader" | "locked" | "unlocked"): () => Promise<Foreign> {
  const child = run("foreign-writer.mjs", [files.path, kind]);
  return async () => {
    child.stdin.end();
    return JSON.parse(await text(child.stdout)) as Foreign;
  };
}

export const writerNames = Array.from({ length: 8 }, (_, number) => `writer${number}`);

export const startWriters = (files: InboxDirectory, rows: number): Writer[] =>
  writerNames.map((name) => new Writer([files.path, name, String(rows)]));

export const idsIn = (rows: readonly unknown[]) => rows.map((row) => (row as { messageId: string }).messageId);
export const ids = (names: readonly string[], count: number) =>
  names.flatMap((name) => Array.from({ length: count }, (_, number) => `${name}-${number}`));

/** Eight processes append this many rows each, next to a program that uses the lock. Nothing may be lost. */
export async function appendBeside(kind: "reader" | "locked", files: InboxDirectory, rows: number): Promise<Foreign> {
  files.write([aRow("first")]);
  const endForeign = startForeign(files, kind);
  const writers = startWriters(files, rows);
  const outcomes = (await Promise.all(writers.map((writer) => writer.appendAll()))).flat();
  await Promise.all(writers.map((writer) => writer.end()));
  const foreign = await endForeign();
  expect(outcomes.filter(({ outcome }) => outcome !== "appended")).toEqual([]);
  const all = ["first", ...ids(writerNames, rows), ...foreign.ids];
  expect(idsIn(files.rows()).toSorted()).toEqual(all.toSorted());
  for (const name of writerNames) {
    const own = idsIn(files.rows()).filter((id) => id.startsWith(`${name}-`));
    expect(own).toEqual(ids([name], rows));
  }
  expect(foreign.invalid).toBe(0);
  expect(files.names()).toEqual(["builder.json"]);
  return foreign;
}
