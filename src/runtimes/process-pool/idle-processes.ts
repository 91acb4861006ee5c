/** Which programs are let go because they only rest, and when to look again. Pure. */

export type MayRest = {
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly restingSince: number;
  readonly conversation: { readonly isWorking: boolean };
};

export type RestLimits = { now: number; idleMs: number; most: number };

/** Those that have rested for too long, and the longest resting ones of too many. `next` is null when none is left. */
export function letGo<T extends MayRest>(programs: readonly T[], limits: RestLimits): { go: T[]; next: number | null } {
  const { now, idleMs, most } = limits;
  const resting = programs.filter(isAtRest).sort((a, b) => b.restingSince - a.restingSince);
  const stay = resting.slice(0, most).filter(({ restingSince }) => restingSince + idleMs > now);
  const oldest = stay.at(-1);
  return { go: resting.filter((one) => !stay.includes(one)), next: oldest ? oldest.restingSince + idleMs : null };
}

/** One that begins is not at rest: somebody waits for it with a prompt. */
function isAtRest({ isReady, isEnding, conversation }: MayRest): boolean {
  return isReady && !isEnding && !conversation.isWorking;
}
