/** `/status`, `/cost` and `/version`. */
import { packageManifest } from "../../../platform/package-files.ts";
import { bindingName } from "../topics/binding.ts";
import { laneOfTopic } from "../topics/recipient.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";
import { statusText, usageText } from "./status-text.ts";
import { laneOfCall } from "./topic-lane.ts";

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
