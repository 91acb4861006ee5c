/** How long a row of the outbox waits after a failed try. Pure. */

const firstMs = 1000;
const longestMs = 60_000;

/** `attempts` counts the failed tries. */
export function backoffMs(attempts: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(0, attempts - 1), 16));
}
