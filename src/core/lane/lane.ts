/**
 * A lane is where an agent works. Its current session changes with repairs; each session has its own generation. Also
 * what it may use in a day, and when that limit is reached: days follow the machine's local clock. Pure.
 */

/** `text`: the agent's final text is the answer. `tool`: a reply is a `message_send` that names the message. */
export type ReplyContract = "text" | "tool";

export type Lane = {
  /** A slug; people see `displayName`. */
  id: string;
  displayName: string | null;
  team: string | null;
  member: string | null;
  /** The kind of runtime that drives it; compare `Runtime.kind`. */
  runtime: string;
  directory: string;
  agent: string | null;
  model: string | null;
  contract: ReplyContract;
  /** Why nothing is currently sent in this lane, or null. */
  pausedReason: string | null;
  /**
   * Why nothing is sent to its member: the team is paused or stopped, or the member's shutdown was approved. Usually
   * null.
   */
  teamHold: string | null;
  sessionId: string | null;
  /** Counts the sessions this lane has had; 0 before the first. */
  generation: number;
  createdAt: number;
  /** Counts the changes to the fields above. */
  version: number;
};

export type NewLane = Omit<Lane, "sessionId" | "generation" | "pausedReason" | "teamHold" | "version">;

export type LaneSession = { generation: number; sessionId: string; openedAt: number };

/** The settings to change; omitted ones stay as they are. */
export type LaneChange = Partial<
  Pick<Lane, "displayName" | "team" | "member" | "runtime" | "directory" | "agent" | "model" | "contract">
>;

/** Something that goes wrong in a lane although its runtime works. `code` is stable. */
export type Notice = { code: string; message: string };

/** The name this lane's agent writes under. */
export function laneName(lane: Pick<Lane, "id" | "member">): string {
  return lane.member ?? lane.id;
}

type Pauses = Pick<Lane, "pausedReason" | "teamHold">;

/** Why nothing is sent in a lane. It resumes when neither the lane nor its team is paused. */
export function pauseOf({ pausedReason, teamHold }: Pauses): string | null {
  return pausedReason ?? teamHold;
}

/** Nothing is sent in a paused lane. It is still observed. */
export function isPaused(lane: Pauses): boolean {
  return pauseOf(lane) !== null;
}

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

const limitReasons = ["daily_token_limit_reached", "daily_cost_limit_reached"] as const;
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
