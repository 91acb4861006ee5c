/** Counts the messages that each agent has sent in the last minute. In memory: a restart clears the counts. */
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";

const minute = 60_000;

export class RateLimit {
  readonly #sent = new Map<string, number[]>();
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts one message, or refuses it. */
  take(sender: string): void {
    const now = this.#clock.now();
    const recent = (this.#sent.get(sender) ?? []).filter((at) => now - at < minute);
    this.#sent.set(sender, recent);
    const [oldest = now] = recent;
    if (recent.length >= this.#perMinute) throw tooMany(this.#perMinute, Math.ceil((oldest + minute - now) / 1000));
    recent.push(now);
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
