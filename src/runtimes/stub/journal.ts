/**
 * The stub's own log, on disk and independent of Waybill's store. Every prompt is written and synced before it is
 * acknowledged. Crash tests count prompts here.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { AskAnswer } from "../port.ts";
import type { Arrival } from "./script.ts";

export type JournalEntry = { at: number } & (
  | {
      type: "open";
      session: string;
      lane: string;
      /** Missing in older journals. */
      directory?: string;
    }
  | {
      type: "prompt";
      session: string;
      lane: string;
      id: string;
      text: string;
      /** Missing in older journals. */
      files?: readonly { name: string; size: number }[];
      arrival: Arrival;
      turn: number | null;
    }
  | { type: "abort"; session: string }
  /** The session was deleted. */
  | { type: "end"; session: string }
  | ({ type: "answer"; session: string; ask: string } & AskAnswer)
  | { type: "posted"; session: string; tool: string; error: string | null }
  | { type: "passed"; session: string; gate: string }
);

export class Journal {
  readonly #descriptor: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(path, "a", 0o600);
    // A line that was cut off by a crash was never acknowledged.
    ftruncateSync(this.#descriptor, Buffer.byteLength(wholeLines(path)));
  }

  append(entry: JournalEntry): void {
    writeSync(this.#descriptor, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** All complete entries. Changes nothing: the agent may be writing. */
export function readJournal(path: string): JournalEntry[] {
  if (!existsSync(path)) return [];
  return wholeLines(path)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalEntry);
}

function wholeLines(path: string): string {
  const content = readFileSync(path, "utf8");
  return content.slice(0, content.lastIndexOf("\n") + 1);
}
