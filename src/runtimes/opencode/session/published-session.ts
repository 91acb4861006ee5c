/** The published state of a lane's session that later signals depend on. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";

export class PublishedSession {
  lane: Lane;
  /** Increases with every event and every resync. */
  revision = 0;
  /** The prompt of the oldest turn that has no published end. */
  openPrompt: string | null = null;
  /** The prompt of the newest turn that has a published end. */
  endedPrompt: string | null = null;
  isBusy = false;
  isLaneRemoved = false;
  cancelTimer: (() => void) | null = null;
  readonly #asks = new Map<string, "permission" | "question">();
  #newestPrompt: string | null = null;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  apply(signal: Signal): void {
    if (signal.type === "permission" || signal.type === "question") this.#asks.set(signal.ask, signal.type);
    else if (signal.type === "permission_over" || signal.type === "question_over") this.#asks.delete(signal.ask);
    else if (signal.type === "busy" || signal.type === "message") this.isBusy = true;
    // A `rest` before any work belongs to an earlier turn.
    else if (signal.type === "died" || (signal.type === "rest" && this.isBusy)) this.#endTurn();
    else if (signal.type === "prompt" && signal.nativeSession === undefined) {
      this.#newestPrompt = signal.message;
      // The prompt of an ended turn may be published again.
      if (signal.message !== this.endedPrompt) this.openPrompt ??= signal.message;
    }
  }

  /** Ends the asks that are no longer pending. How they were answered is unknown. */
  expiredAsks(pending: readonly string[]): SignalBody[] {
    return [...this.#asks]
      .filter(([ask]) => !pending.includes(ask))
      .map(([ask, kind]) =>
        kind === "permission"
          ? { type: "permission_over", ask, outcome: "expired" }
          : { type: "question_over", ask, outcome: "expired", answers: null },
      );
  }

  #endTurn(): void {
    this.isBusy = false;
    this.endedPrompt = this.#newestPrompt ?? this.endedPrompt;
    this.openPrompt = null;
    this.#asks.clear();
  }
}
