/** Selects the idle processes to end, and says when to check again. Pure. */

export type IdleCandidate = {
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly idleSince: number;
  readonly client: { readonly isWorking: boolean };
};

export type IdleLimits = { now: number; idleMs: number; maxResting: number };

/**
 * Selects processes that were idle for too long, and the longest idle ones if too many are idle. `nextAt` is null if no
 * idle process remains.
 */
export function selectIdleProcesses<T extends IdleCandidate>(
  processes: readonly T[],
  { now, idleMs, maxResting }: IdleLimits,
): { expired: T[]; nextAt: number | null } {
  const idle = processes.filter(isIdle).sort((a, b) => b.idleSince - a.idleSince);
  const kept = idle.slice(0, maxResting).filter(({ idleSince }) => idleSince + idleMs > now);
  const oldest = kept.at(-1);
  return { expired: idle.filter((one) => !kept.includes(one)), nextAt: oldest ? oldest.idleSince + idleMs : null };
}

/** A starting process is not idle, since a prompt is waiting for it. */
function isIdle({ isReady, isEnding, client }: IdleCandidate): boolean {
  return isReady && !isEnding && !client.isWorking;
}
