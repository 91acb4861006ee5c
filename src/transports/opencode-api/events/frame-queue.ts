/**
 * What was told while one client keeps up. All that one more client costs is a push. Whoever does not keep up loses what
 * waits, and has to read it from the store.
 */
import type { Line } from "./frame.ts";
import type { Position } from "./position.ts";

const maxWaiting = 1000;
const maxCharacters = 4 * 1024 * 1024;

export type InboxLimits = { lines?: number; characters?: number };

export class LineInbox {
  /** How often something was told, also to others. */
  rounds = 0;
  /** Changes of lanes were lost with the rest. */
  overflowed = false;
  readonly #directory: string | undefined;
  readonly #signal: AbortSignal;
  readonly #limits: Required<InboxLimits>;
  #waiting: Line[] = [];
  #characters = 0;
  #isLive = false;
  #wake: () => void = () => {};
  #heard = new WeakSet<object>();

  constructor(directory: string | undefined, signal: AbortSignal, limits: InboxLimits = {}) {
    this.#directory = directory;
    this.#signal = signal;
    this.#limits = { lines: maxWaiting, characters: maxCharacters, ...limits };
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = () => {
    this.#leave();
    this.#wake();
  };

  /** Changes of lanes wait for a client from its first moment on, everything else once it is live. */
  push(lines: readonly Line[]): void {
    this.rounds += 1;
    for (const line of lines) {
      if (!this.wants(line) || (!this.#isLive && !line.ofLanes) || this.#hasHeard(line)) continue;
      this.#waiting.push(line);
      this.#characters += line.plain.length;
    }
    if (this.#waiting.length > this.#limits.lines || this.#characters > this.#limits.characters) this.#leave();
    this.#wake();
  }

  wants({ directory }: Pick<Line, "directory">): boolean {
    return this.#directory === undefined || directory === null || directory === this.#directory;
  }

  #hasHeard({ words }: Line): boolean {
    if (words?.again) return this.#heard.has(words.spoken);
    if (words) this.#heard.add(words.spoken);
    return false;
  }

  #leave(): void {
    this.overflowed = true;
    this.#heard = new WeakSet();
    this.#isLive = false;
    this.#waiting = [];
    this.#characters = 0;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** Everything waits for the client from this very moment on, and nothing from before. */
  begin(): void {
    this.#leave();
    this.overflowed = false;
    this.#isLive = true;
  }

  /**
   * Until the client is too slow or wants no more. It has come to `at`: changes of lanes that waited for it meanwhile
   * name a place that it has passed, and whoever went on from there would be told again what came after it.
   */
  live(at: Position): AsyncGenerator<Line> {
    if (!this.#isLive) this.#waiting = this.#waiting.map((line) => line.toldAt({ ...at, feed: line.at.feed }));
    this.#isLive = true;
    return this.#taken();
  }

  async *#taken(): AsyncGenerator<Line> {
    while (this.#isLive && !this.#signal.aborted) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#characters = 0;
      for (const line of batch) {
        yield line;
        if (this.#signal.aborted) return;
      }
      if (this.#isLive && this.#waiting.length === 0) await this.next(this.rounds);
    }
  }

  next(seen: number): Promise<void> {
    if (this.rounds !== seen || this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}
