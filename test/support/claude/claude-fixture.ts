/** Recorded streams of the real Claude Code, and the events that the translation and the turn tracker produce. */
import { readdirSync, readFileSync } from "node:fs";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";
import { ClaudeTranslator } from "../../../src/runtimes/claude/translate/translate.ts";
import type { AskAnswer } from "../../../src/runtimes/port.ts";
import type { AgentSignal } from "../../../src/runtimes/process-pool/signal-publisher.ts";
import { isKept } from "../core/events.ts";
import type { ClaudeLine } from "./claude-process.ts";

const directory = new URL("../../fixtures/claude/", import.meta.url);
/** The lane's session in every fixture. */
export const session = "5e551011-0000-4000-8000-000000000000";

export const fixtureNames = readdirSync(directory)
  .filter((name) => name.endsWith(".lines.jsonl"))
  .map((name) => name.replace(".lines.jsonl", ""))
  .sort();

export function recordedLines(name: string): string[] {
  return linesOf(`${name}.lines.jsonl`);
}

export function recordedRows(name: string): ClaudeLine[] {
  return linesOf(`${name}.rows.jsonl`).map((line) => JSON.parse(line));
}

function linesOf(file: string): string[] {
  return readFileSync(new URL(file, directory), "utf8").trimEnd().split("\n");
}

/** A lane's watcher: plays the runtime's part, and passes everything through one turn tracker. */
export class ClaudeWatcher {
  readonly translator = new ClaudeTranslator();
  readonly tracker = new TurnTracker();
  readonly heard: AgentSignal[] = [];
  readonly drafts: Draft[] = [];

  get kept(): Draft[] {
    return this.drafts.filter(isKept);
  }

  /** Registers the prompts as sent, as the runtime does before the lines arrive. */
  sent(lines: readonly string[]): this {
    for (const line of lines.map(parsed)) {
      if (line?.isReplay === true && line.uuid)
        this.translator.promptSent(line.uuid, line.message?.content?.[0]?.text ?? "");
    }
    return this;
  }

  receive(lines: readonly string[]): this {
    for (const line of lines) {
      this.take(this.#answerIn(parsed(line)?.response));
      this.take(this.translator.translate(line));
    }
    return this;
  }

  take(heard: readonly AgentSignal[]): this {
    this.heard.push(...heard);
    for (const said of heard) this.drafts.push(...this.tracker.take({ at: 1, session, ...said }));
    return this;
  }

  /** The echo of an answer marks where the runtime gave it; the answer to an interrupt comes after its request. */
  #answerIn(echo: ClaudeLine | undefined): AgentSignal[] {
    const { request_id, response } = echo ?? {};
    if (response?.still_queued) return this.translator.interrupted();
    if (typeof response?.behavior !== "string") return [];
    const answers = Object.values(response.updatedInput?.answers ?? {}).map((answer) => String(answer).split(", "));
    const decision: AskAnswer["decision"] = response.behavior === "deny" ? "reject" : "once";
    return this.translator.askAnswered(request_id, { decision, answers });
  }
}

function parsed(line: string): ClaudeLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
