/** The catalog once more in the shapes of OpenCode's newer API. Pure. */
import type { AgentV2Info, LocationInfo, ModelV2Info, ProviderV2Info } from "@opencode-ai/sdk/v2/types";
import type { RuntimeState } from "../../../service/service.ts";
import { agents, defaultModel, modelName, nameOf } from "./catalog.ts";
import type { Project } from "./projects.ts";

const request = { headers: {}, body: {} };

export function locationOf(directory: string, { id, worktree }: Project): LocationInfo {
  return { directory, project: { id, directory: worktree } };
}

export function agentsV2(): AgentV2Info[] {
  return agents.map(({ name, description, mode }) => ({
    id: name,
    request,
    ...(description === undefined ? {} : { description }),
    mode,
    hidden: false,
    permissions: [],
  }));
}

export function providerV2({ kind }: RuntimeState): ProviderV2Info {
  return { id: kind, name: nameOf(kind), api: { type: "native", settings: {} }, request };
}

export function modelsV2({ kind, ready, models }: RuntimeState): ModelV2Info[] {
  return [...new Set([defaultModel, ...models])].map((id) => ({
    id,
    providerID: kind,
    name: modelName(kind, id),
    api: { id, type: "native", settings: {} },
    capabilities: { tools: true, input: ["text"], output: ["text"] },
    request,
    variants: [],
    time: { released: 0 },
    cost: [{ input: 0, output: 0, cache: { read: 0, write: 0 } }],
    status: "active",
    enabled: ready,
    limit: { context: 0, output: 0 },
  }));
}
