/**
 * How much two agents write to each other while nothing else happens. If they rephrase each time, every single
 * message looks like work; only the number of messages shows that it is a loop. Pure.
 */

/** Between two lanes, in the order of their names. */
export type Exchange = {
  one: string;
  other: string;
  /** Messages since it began. */
  count: number;
  beganAt: number;
  /** When the pair was held; messages between them wait from then on. */
  heldAt: number | null;
};

export type ExchangeLimits = { maxExchanges: number; exchangeWindowMs: number };

export type ExchangePair = Pick<Exchange, "one" | "other">;

export function pairOf(lane: string, another: string): ExchangePair {
  return lane < another ? { one: lane, other: another } : { one: another, other: lane };
}

export function isSamePair(pair: ExchangePair, another: ExchangePair): boolean {
  return pair.one === another.one && pair.other === another.other;
}

/** The pair writes one more message. It is held from the first message over the limit, until a person releases it. */
export function nextExchange(
  known: Exchange | null,
  pair: ExchangePair,
  { maxExchanges, exchangeWindowMs }: ExchangeLimits,
  at: number,
): Exchange {
  if (known?.heldAt != null) return { ...known, count: known.count + 1 };
  const isOver = known === null || at - known.beganAt > exchangeWindowMs;
  if (isOver) return { ...pair, count: 1, beganAt: at, heldAt: null };
  const count = known.count + 1;
  return { ...known, count, heldAt: count > maxExchanges ? at : null };
}

/** Why a delivery waits although its lane is free. */
export const heldByLoopGuard = "loop_guard";
