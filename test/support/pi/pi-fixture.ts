/** Recorded streams of the real pi, and the events that the translation and the turn tracker produce. */
import { readdirSync, readFileSync } from "node:fs";
import type { TranscriptRow } from "../../../src/core/transcript/transcript.ts";
import { newestTurn, signalsOf } from "../../../src/core/turn/slice-signals.ts";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";
import type { Json } from "../../../src/runtimes/json-fields.ts";
import { SessionReader } from "../../../src/runtimes/pi/transcript/reader.ts";
import { PiTranslator } from "../../../src/runtimes/pi/translate/translate.ts";
import type { AskAnswer } from "../../../src/runtimes/port.ts";
import { reopenUnfinishedTurns } from "../../../src/runtimes/process-pool/transcript-slice.ts";

const directory = new URL("../../fixtures/pi/", import.meta.url);
/** The lane's session in every fixture. */
export const session = "5e551011-0000-4000-8000-000000000000";

export const fixtureNames = readdirSync(directory)
  .filter((name) => name.endsWith(".lines.jsonl"))
  .map((name) => name.replace(".lines.jsonl", ""))
  .sort();

export function recordedLines(name: string): Json[] {
  return linesOf(`${name}.lines.jsonl`);
}

export function recordedRows(name: string): TranscriptRow[] {
  const reader = new SessionReader(session);
  for (const row of linesOf(`${name}.rows.jsonl`)) reader.add(row);
  return reopenUnfinishedTurns(reader.newest(null, []).rows);
}

function linesOf(file: string): Json[] {
  const text = readFileSync(new URL(file, directory), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
}

type Told = { answer?: AskAnswer & { ask: string }; stop?: true };

/** A lane's watcher: plays the runtime's part, and passes everything through one turn tracker. */
export class PiWatcher {
  readonly translator = new PiTranslator(session);
  readonly tracker = new TurnTracker();
  readonly drafts: Draft[] = [];

  receive(lines: readonly Json[]): this {
    for (const line of lines) this.#take(line.type === "told" ? this.#told(line as Told) : this.#heard(line));
    return this;
  }

  /** As after a restart. */
  retold(rows: readonly TranscriptRow[]): this {
    const slice = { sessionId: session, status: "idle" as const, asks: [], complete: true, lastActivityAt: null };
    for (const signal of signalsOf({ ...slice, rows: newestTurn(rows) }, 1)) {
      this.drafts.push(...this.tracker.take(signal));
    }
    return this;
  }

  #heard(line: Json) {
    return this.translator.translate(JSON.stringify(line));
  }

  #told({ answer, stop }: Told) {
    if (answer) return this.translator.askAnswered(answer.ask, answer);
    return stop ? this.translator.interrupted() : [];
  }

  #take(said: ReturnType<PiTranslator["translate"]>): void {
    for (const one of said) this.drafts.push(...this.tracker.take({ at: 1, session, ...one }));
  }
}
