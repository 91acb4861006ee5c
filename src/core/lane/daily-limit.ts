/** What a lane may use in a day, and when that limit is reached. Days follow the machine's local clock. Pure. */

/** As the agent program counts it: tokens of every kind, and dollars. */
export type Usage = { tokens: number; cost: number };

/** Null means no limit. */
export type DailyLimits = { tokens: number | null; cost: number | null };

export const noLimits: DailyLimits = { tokens: null, cost: null };

/** The limits of all lanes. A lane with its own limits is not subject to the common ones. */
export type LaneLimitTable = { everyLane: DailyLimits; byLane: Readonly<Record<string, DailyLimits>> };

export function hasLimits({ everyLane, byLane }: LaneLimitTable): boolean {
  return [everyLane, ...Object.values(byLane)].some(({ tokens, cost }) => tokens !== null || cost !== null);
}

/** What one agent message has used, and the day on which it was first counted. */
export type UsageEntry = Usage & { messageId: string; day: string };

/** What a lane has used on a day. `lifted`: a person lifted its limits for the rest of that day. */
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

/** In the form `2026-03-29`. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The day before this moment, or that many days before it. */
export function dayBefore(at: number, days = 1): string {
  const date = new Date(at);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime());
}

/** The first moment of the next day; not always 24 hours after the start of this one. */
export function nextDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}
