/** How long things about a server may take, and how long to wait before the next try. Pure. */

export type ServerTimes = {
  /** The program's answer to `--version`. */
  versionMs: number;
  /** One question whether it is there. */
  probeMs: number;
  /** How often in a row a server that is under suspicion may leave that question unanswered. */
  probes: number;
  /** From its start until it answers. */
  startMs: number;
  /** From the request to end until it has; after that it is killed. */
  endMs: number;
  /** Between two looks at whether the process of a server that was taken over still lives. */
  watchMs: number;
  /** The wait after the first failure; it doubles with each one in a row. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** A server that ran for so long has made up for all failures before it. */
  healthyAfterMs: number;
  /** How long somebody else's server may be away, as while it is restarted, before one is started in its place. */
  attachedAwayMs: number;
};

export const defaultServerTimes: ServerTimes = {
  versionMs: 15_000,
  probeMs: 5000,
  probes: 3,
  startMs: 60_000,
  endMs: 5000,
  watchMs: 2000,
  firstWaitMs: 1000,
  maxWaitMs: 30_000,
  healthyAfterMs: 60_000,
  attachedAwayMs: 15_000,
};

/** Before the next try, when `failures` went before this one without a healthy time between. */
export function nextWait(failures: number, { firstWaitMs, maxWaitMs }: ServerTimes): number {
  return Math.min(firstWaitMs * 2 ** Math.min(failures, 30), maxWaitMs);
}
