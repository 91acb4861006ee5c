/** How many messages each agent has sent in the last minute. In memory: a daemon that starts anew forgives. */
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";

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
    message: `You have sent ${perMinute} messages within a minute. This one was not taken.`,
    hint: `Wait ${seconds} s, put what you have to say into one message, and send that.`,
    retryable: true,
  });
}
