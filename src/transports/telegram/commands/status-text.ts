/** The text of `/status`: what a lane is doing, what is waiting, and what it has used. Pure. */
import { isPaused, pauseOf } from "../../../core/lane/lane.ts";
import type { LaneState } from "../../../service/service.ts";
import { duration } from "../outgoing/duration.ts";

export type StatusFacts = {
  state: LaneState;
  /** What the topic is bound to, or null. */
  boundTo: string | null;
  /** Permissions and questions that wait for a person. */
  openAsks: number;
  now: number;
};

export function statusText({ state, boundTo, openAsks, now }: StatusFacts): string {
  const { lane, runtimeReady, waiting, waitReason, notices, usage } = state;
  const choice = [
    lane.model === null ? "" : `, model ${lane.model}`,
    lane.agent === null ? "" : `, agent ${lane.agent}`,
  ];
  const reason = waiting > 0 && waitReason !== null ? ` (${waitReason})` : "";
  const lines = [
    `**${activityOf(state, now)}**`,
    ...(openAsks > 0 ? [`The agent is waiting for ${count(openAsks, "answer")} from you.`] : []),
    "",
    `- Workspace: \`${lane.directory}\``,
    `- Lane: \`${lane.id}\`${boundTo === null ? "" : ` (this topic is bound to ${boundTo})`}`,
    `- Runtime: ${lane.runtime} (${runtimeReady ? "ready" : "not ready"})${choice.join("")}`,
    `- Session: ${sessionText(lane)}`,
    `- Waiting: ${waiting === 0 ? "nothing" : count(waiting, "message")}${reason}`,
    `- Today: ${usageText(usage)}`,
    ...notices.map(({ message }) => `- ⚠️ ${message}`),
  ];
  return lines.join("\n");
}

/** Pausing a lane does not end its running turn. */
function activityOf({ lane, holder, waiting }: LaneState, now: number): string {
  const paused = isPaused(lane) ? `Paused (${pauseOf(lane)})` : null;
  if (!holder) return `${paused ?? (waiting > 0 ? "About to start" : "Idle")}.`;
  const began = holder.attemptList[0]?.submittedAt ?? holder.createdAt;
  const attempt = holder.attempts > 1 ? `, attempt ${holder.attempts}` : "";
  const working = `Working for ${duration(now - began)}${attempt}`;
  return paused === null ? `${working}.` : `${working}. ${paused} after that.`;
}

export function sessionText({ sessionId, generation }: Pick<LaneState["lane"], "sessionId" | "generation">): string {
  return sessionId === null ? "none yet" : `\`${sessionId}\` (number ${generation})`;
}

export function usageText({ tokens, cost }: Pick<LaneState["usage"], "tokens" | "cost">): string {
  return `$${cost.toFixed(2)}, ${count(tokens, "token")}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
