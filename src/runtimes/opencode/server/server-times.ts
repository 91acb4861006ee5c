/** Timeouts and intervals for an OpenCode server, and the backoff between attempts to get one. Pure. */

export const defaultServerTimes = {
  /** For the program's answer to `--version`. */
  versionMs: 15_000,
  probeMs: 5000,
  /** A suspected server counts as lost after this many unanswered probes in a row. */
  probes: 3,
  /** From the start until the server answers. */
  startMs: 60_000,
  /** From the request to end until the forced kill. */
  endMs: 5000,
  /** Between checks whether an adopted server's process is still alive. */
  watchMs: 2000,
  /** The wait after the first failure; it doubles with each failure in a row. */
  firstWaitMs: 1000,
  maxWaitMs: 30_000,
  /** A server that ran for this long resets the count of failures. */
  healthyAfterMs: 60_000,
  /** How long an attached server may be away, for example for a restart, before Waybill starts its own. */
  attachedAwayMs: 15_000,
};

export type ServerTimes = typeof defaultServerTimes;

export function nextWait(failures: number, { firstWaitMs, maxWaitMs }: ServerTimes): number {
  return Math.min(firstWaitMs * 2 ** failures, maxWaitMs);
}
