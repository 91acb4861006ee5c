/** Where the time of an attempt went, as the parts of a bar. Pure. */
import type { Attempt } from "./attempt-groups.ts";

export type Mark = "stored" | "first_token" | "finished" | "proven";

/** From the mark before to this one. `share` is its part of the bar, in per cent. */
export type Segment = {
  mark: Mark;
  ms: number;
  share: number;
  /** Since the submission. */
  afterMs: number;
  /** In progress: the mark is still to come. */
  isOpen: boolean;
};

/** Anything shorter would be invisible. */
const minShare = 2;

const order: readonly Mark[] = ["stored", "first_token", "finished", "proven"];

type Timed = Pick<Attempt, "submittedAt" | "storedAt" | "firstTokenAt" | "finishedAt" | "provenAt">;

/** `now`: null when nothing more is expected of the attempt. */
export function timingSegments(attempt: Timed, now: number | null): Segment[] {
  const submittedAt = Date.parse(attempt.submittedAt);
  const known = marksOf(attempt)
    // The clock of an agent program may be behind ours.
    .map(({ mark, at }) => ({ mark, at: Math.max(at, submittedAt), isOpen: false }))
    .sort((one, other) => one.at - other.at || order.indexOf(one.mark) - order.indexOf(other.mark));
  const next = nextMark(known.map(({ mark }) => mark));
  const lastAt = known.at(-1)?.at ?? submittedAt;
  const ends =
    now === null || next === null ? known : [...known, { mark: next, at: Math.max(now, lastAt), isOpen: true }];
  let from = submittedAt;
  const parts = ends.map(({ mark, at, isOpen }) => {
    const ms = at - from;
    from = at;
    return { mark, ms, afterMs: at - submittedAt, isOpen };
  });
  const shares = sharesOf(parts.map(({ ms }) => ms));
  return parts.map((part, index) => ({ ...part, share: shares[index] ?? 0 }));
}

function marksOf({ storedAt, firstTokenAt, finishedAt, provenAt }: Timed): { mark: Mark; at: number }[] {
  const times = { stored: storedAt, first_token: firstTokenAt, finished: finishedAt, proven: provenAt };
  return order.flatMap((mark) => {
    const at = times[mark];
    return at === null ? [] : [{ mark, at: Date.parse(at) }];
  });
}

/** The one after the furthest known mark; skipped marks were never seen. */
function nextMark(known: readonly Mark[]): Mark | null {
  const furthest = Math.max(-1, ...known.map((mark) => order.indexOf(mark)));
  return order[furthest + 1] ?? null;
}

/** Proportional, none below the minimum, 100 in total. */
export function sharesOf(values: readonly number[]): number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total === 0) return values.map(() => 100 / values.length);
  const raised = values.map((value) => Math.max(minShare, (value / total) * 100));
  const sum = raised.reduce((all, share) => all + share, 0);
  return raised.map((share) => (share / sum) * 100);
}
