/** What was said of a lane's session so far, as much as has to be known to say the rest. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { Said, Signal } from "../../../core/turn/signal.ts";

export class WatchedSession {
  lane: Lane;
  /** Counts what was heard of it. */
  news = 0;
  /** The prompt of the turn whose end was not said yet. */
  unended: string | null = null;
  /** The newest prompt whose turn's end was said. */
  settled: string | null = null;
  /** Whether a turn runs, by what was said. */
  works = false;
  /** Its lane is gone. */
  isLeft = false;
  readonly #asks = new Map<string, "permission" | "question">();
  #newest: string | null = null;
  #cancel: (() => void) | null = null;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  take(signal: Signal): void {
    if (signal.type === "permission" || signal.type === "question") this.#asks.set(signal.ask, signal.type);
    else if (signal.type === "permission_over" || signal.type === "question_over") this.#asks.delete(signal.ask);
    // A rest before anything was done belongs to an earlier turn.
    else if (signal.type === "died" || (signal.type === "rest" && this.works)) this.#ended();
    else if (signal.type === "busy" || signal.type === "message") this.works = true;
    else if (signal.type === "prompt" && signal.nativeSession === undefined) this.#prompt(signal.message);
  }

  /** What was asked and is not among these is over, and nobody here knows how. */
  overBut(asks: readonly string[]): Said[] {
    return [...this.#asks]
      .filter(([ask]) => !asks.includes(ask))
      .map(([ask, kind]) =>
        kind === "permission"
          ? { type: "permission_over", ask, outcome: "expired" }
          : { type: "question_over", ask, outcome: "expired", answers: null },
      );
  }

  /** One timer at a time. */
  wait(start: () => () => void): void {
    this.#cancel ??= start();
  }

  cancelWait(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** A prompt whose turn has ended already may be said again. */
  #prompt(message: string): void {
    this.#newest = message;
    if (message !== this.settled) this.unended ??= message;
  }

  #ended(): void {
    this.works = false;
    this.settled = this.#newest ?? this.settled;
    this.unended = null;
    this.#asks.clear();
  }
}
