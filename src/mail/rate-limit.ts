/** Counts the messages that each agent has sent in the last minute. In memory: a restart clears the counts. */
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";

const minute = 60_000;

export class RateLimit {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #sent: Map<string, number[]>;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** `sent`: when each sender has sent its messages. */
  constructor(perMinute: number, clock: Clock, sent = new Map<string, number[]>()) {
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#sent = sent;
  }

  /** Counts one message, or refuses it. */
  take(sender: string): void {
    const now = this.#clock.now();
    if (now - this.#sweptAt >= minute) this.#sweep(now);
    const recent = (this.#sent.get(sender) ?? []).filter((at) => now - at < minute);
    this.#sent.set(sender, recent);
    const [oldest = now] = recent;
    if (recent.length >= this.#perMinute) throw tooMany(this.#perMinute, Math.ceil((oldest + minute - now) / 1000));
    recent.push(now);
  }

  /** Forgets senders that have sent nothing for a minute. */
  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [sender, times] of this.#sent) if (now - (times.at(-1) ?? 0) >= minute) this.#sent.delete(sender);
  }
}

function tooMany(perMinute: number, seconds: number): AppError {
  return new AppError({
    code: "rate_limited",
    message: `You have sent ${perMinute} messages within a minute. This one was refused.`,
    hint: `Wait ${seconds} s, then send everything in one message.`,
    retryable: true,
  });
}
