/**
 * Tells the watchers of lanes what happens in their sessions: a translator for each program, and the transcript where
 * there is none, as after a restart.
 */
import type { Clock } from "../../clock.ts";
import type { TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { Said, Signal } from "../../core/turn/signal.ts";
import { newestTurn, signalsOf } from "../../core/turn/slice-signals.ts";
import type { AskAnswer, SignalListener } from "../port.ts";

/** Makes signals of what one program prints, and of what is done to it. */
export type Translator = {
  take(line: string): (Said & { nativeSession?: string })[];
  /** A prompt is on its way, for a program whose lines do not have its text. */
  sent?(id: string, text: string): void;
  answered(ask: string, answer: AskAnswer): (Said & { nativeSession?: string })[];
  interrupted(): Said[];
};

export class SessionSignals {
  readonly #clock: Clock;
  readonly #translator: (resumed: boolean, session: string) => Translator;
  readonly #watchers = new Set<SignalListener>();
  readonly #translators = new Map<string, Translator>();

  constructor(clock: Clock, translator: (resumed: boolean, session: string) => Translator) {
    this.#clock = clock;
    this.#translator = translator;
  }

  onSignal(listener: SignalListener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** A program has this session from now on. */
  started(laneId: string, session: string, resumed: boolean): void {
    this.#translators.set(session, this.#translator(resumed, session));
    this.say(laneId, session, { type: "session_started", resumed });
  }

  prompted(session: string, id: string, text: string): void {
    this.#translators.get(session)?.sent?.(id, text);
  }

  heard(laneId: string, session: string, line: string): void {
    for (const said of this.#translators.get(session)?.take(line) ?? []) this.say(laneId, session, said);
  }

  answered(laneId: string, session: string, ask: string, answer: AskAnswer): void {
    for (const said of this.#translators.get(session)?.answered(ask, answer) ?? []) this.say(laneId, session, said);
  }

  stopped(laneId: string, session: string): void {
    for (const said of this.#translators.get(session)?.interrupted() ?? []) this.say(laneId, session, said);
  }

  ended(laneId: string, session: string, how: string, died: boolean): void {
    this.#translators.delete(session);
    if (died) this.say(laneId, session, { type: "died" });
    this.say(laneId, session, { type: "session_ended", reason: how });
  }

  /** What the transcript shows of the newest turn. */
  retold(laneId: string, slice: TranscriptSlice): void {
    const newest = { ...slice, rows: newestTurn(slice.rows) };
    for (const signal of signalsOf(newest, this.#clock.now())) this.#pass(laneId, { ...signal, synthetic: true });
  }

  say(laneId: string, session: string, said: Said & { nativeSession?: string; synthetic?: boolean }): void {
    this.#pass(laneId, { at: this.#clock.now(), session, ...said });
  }

  #pass(laneId: string, signal: Signal): void {
    for (const watcher of this.#watchers) watcher(laneId, signal);
  }
}
