/** What a lane may use in a day, and when that is used up. Days are those of the machine's own clock. Pure. */

/** As the agent program reckons it: tokens of every kind, and dollars. */
export type Usage = { tokens: number; cost: number };

/** Null is no limit. */
export type DailyLimits = { tokens: number | null; cost: number | null };

export const noLimits: DailyLimits = { tokens: null, cost: null };

/** The limits of all lanes; a lane that has its own is not under the common ones. */
export type LaneLimitTable = { everyLane: DailyLimits; byLane: Readonly<Record<string, DailyLimits>> };

export function hasLimits({ everyLane, byLane }: LaneLimitTable): boolean {
  return [everyLane, ...Object.values(byLane)].some(({ tokens, cost }) => tokens !== null || cost !== null);
}

/** What a lane has used on a day. `lifted`: a person let it go on for the rest of that day. */
/** What one message of an agent has used, by the day on which it was first counted. */
export type UsageEntry = Usage & { messageId: string; day: string };

export type DayUsage = Usage & { lifted: boolean };

export const limitReasons = ["daily_token_limit_reached", "daily_cost_limit_reached"] as const;
export type LimitReason = (typeof limitReasons)[number];

export function isLimitReason(reason: string | null): reason is LimitReason {
  return limitReasons.some((one) => one === reason);
}

export function limitReached(limits: DailyLimits, used: DayUsage): LimitReason | null {
  if (used.lifted) return null;
  if (limits.tokens !== null && used.tokens >= limits.tokens) return "daily_token_limit_reached";
  if (limits.cost !== null && used.cost >= limits.cost) return "daily_cost_limit_reached";
  return null;
}

/** Such as `2026-03-29`. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The one before that of this moment. */
export function dayBefore(at: number): string {
  const date = new Date(at);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1).getTime());
}

/** The first moment of the day after; not always 24 hours after that of the day itself. */
export function nextDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}
