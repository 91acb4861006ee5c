/** `/status`, `/cost` and `/version`. */
import { isPaused, pauseOf } from "../../../core/lane/lane.ts";
import { packageManifest } from "../../../platform/package-files.ts";
import type { LaneState } from "../../../service/service.ts";
import { count, duration } from "../outgoing/amounts.ts";
import { laneOfTopic } from "../topics/recipient.ts";
import { bindingName } from "../topics/topic.ts";
import type { Command } from "./command.ts";
import { answer, laneOfCall } from "./command.ts";

export const status: Command = {
  name: "status",
  description: "Show what the agent is doing and what is waiting",
  async run(call, context) {
    const { service, clock } = context;
    const state = await laneOfCall(call, context);
    const asks = (await service.asks()).filter(({ laneId }) => laneId === state.lane.id);
    const { boundTo } = call.topic;
    const name = boundTo && bindingName(boundTo);
    return answer(call, statusText({ state, boundTo: name, openAsks: asks.length, now: clock.now() }));
  },
};

export const cost: Command = {
  name: "cost",
  description: "Show what this topic has used today",
  async run(call, context) {
    const { service } = context;
    const current = await laneOfTopic(call.topic, context);
    const ids = new Set([...(current === null ? [] : [current]), ...call.topic.workspaces.map(({ lane }) => lane)]);
    const states = (await service.lanes()).filter(({ lane }) => ids.has(lane.id));
    const lines = states.map(({ lane, usage }) => `- \`${lane.directory}\`: ${usageText(usage)}`);
    const total = {
      tokens: sum(states.map(({ usage }) => usage.tokens)),
      cost: sum(states.map(({ usage }) => usage.cost)),
    };
    const details = lines.length > 1 ? `\n\n${lines.join("\n")}` : "";
    return answer(call, `Today: ${usageText(total)}.${details}`);
  },
};

export const version: Command = {
  name: "version",
  description: "Show Waybill's version and its runtimes",
  async run(call, { service }) {
    const runtimes = await service.runtimes();
    const lines = runtimes.map(({ kind, ready, isDefault }) => {
      return `- ${kind}: ${ready ? "ready" : "not ready"}${isDefault ? ", used by default" : ""}`;
    });
    return answer(
      call,
      `Waybill ${packageManifest().version}, Node.js ${process.versions.node}\n\n${lines.join("\n")}`,
    );
  },
};

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type StatusFacts = {
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

function usageText({ tokens, cost }: Pick<LaneState["usage"], "tokens" | "cost">): string {
  return `$${cost.toFixed(2)}, ${count(tokens, "token")}`;
}
