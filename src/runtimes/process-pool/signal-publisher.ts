/**
 * Publishes what happens in the sessions of lanes: through a translator per process, and from the transcript if there
 * is no process, for example after a restart.
 */

import type { TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { Signal, SignalBody } from "../../core/turn/signal.ts";
import { newestTurn, signalsOf } from "../../core/turn/slice-signals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Json } from "../json-fields.ts";
import type { AskAnswer, SignalListener } from "../port.ts";

/** `nativeSession` is the session of the subagent. */
export type AgentSignal = SignalBody & { nativeSession?: string };

/** Translates the lines of one process, and Waybill's actions on it, to signals. */
export type LineTranslator = {
  /** `line` is the parsed text; null if it is no JSON. */
  translate(text: string, line: Json | null): AgentSignal[];
  /** Reports a sent prompt, for programs that do not print its text. */
  promptSent?(id: string, text: string): void;
  askAnswered(ask: string, answer: AskAnswer): AgentSignal[];
  interrupted(): AgentSignal[];
};

export class SignalPublisher {
  readonly #clock: Clock;
  readonly #listeners = new Set<SignalListener>();
  /** By session. */
  readonly #translators = new Map<string, LineTranslator>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onSignal(listener: SignalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A process now has this session. */
  sessionStarted(laneId: string, session: string, resumed: boolean, translator: LineTranslator): void {
    this.#translators.set(session, translator);
    this.publish(laneId, session, { type: "session_started", resumed });
  }

  promptSent(session: string, id: string, text: string): void {
    this.#translators.get(session)?.promptSent?.(id, text);
  }

  /** Publishes the signals that the session's translator returns. */
  translated(laneId: string, session: string, translate: (translator: LineTranslator) => AgentSignal[]): void {
    const translator = this.#translators.get(session);
    for (const body of translator ? translate(translator) : []) this.publish(laneId, session, body);
  }

  sessionEnded(laneId: string, session: string, reason: string, died: boolean): void {
    this.#translators.delete(session);
    if (died) this.publish(laneId, session, { type: "died" });
    this.publish(laneId, session, { type: "session_ended", reason });
  }

  /** Publishes the newest turn from the transcript. */
  resync(laneId: string, slice: TranscriptSlice): void {
    const newest = { ...slice, rows: newestTurn(slice.rows) };
    for (const signal of signalsOf(newest, this.#clock.now())) this.#emit(laneId, { ...signal, synthetic: true });
  }

  publish(laneId: string, session: string, body: AgentSignal & { synthetic?: boolean }): void {
    this.#emit(laneId, { at: this.#clock.now(), session, ...body });
  }

  #emit(laneId: string, signal: Signal): void {
    for (const listener of this.#listeners) listener(laneId, signal);
  }
}

/**
 * How a known line is handled: translated, published as a status item with this name, or ignored for this reason. A
 * line without a rule is published as `unparsed`.
 */
export type LineRule = "translate" | { status: string } | { ignore: string };
export type LineRules = Readonly<Record<string, LineRule>>;

const maxRawLength = 4000;

export function ruleFor(rules: LineRules, name: string): LineRule | null {
  return Object.hasOwn(rules, name) ? (rules[name] ?? null) : null;
}

/** The same rule for several lines. */
export function sameRule(rule: LineRule, prefix: string, names: string): LineRules {
  return Object.fromEntries(names.split(" ").map((name) => [`${prefix}${name}`, rule]));
}

export function unparsed(reason: string, line: string | Json): SignalBody {
  const raw = typeof line === "string" ? line : JSON.stringify(line);
  return { type: "unparsed", reason, raw: raw.slice(0, maxRawLength) };
}
