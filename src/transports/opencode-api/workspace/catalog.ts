/**
 * The providers, models and agents that OpenCode's clients choose from: a runtime is a provider. In addition to its
 * known models it has `default`, which leaves the choice to the lane and the program. Pure.
 *
 * Fields that Waybill has no values for are 0, false or empty.
 */
import type {
  Agent,
  AgentV2Info,
  Config,
  LocationInfo,
  Model,
  ModelV2Info,
  Provider,
  ProviderV2Info,
} from "@opencode-ai/sdk/v2/types";
import type { RuntimeState } from "../../../service/service.ts";
import type { Project } from "./projects.ts";

export const defaultModel = "default";
export const defaultAgent = "default";

export const agents: readonly Agent[] = [
  {
    name: defaultAgent,
    description: "The lane's own agent, with the permissions configured there.",
    mode: "primary",
    permission: [],
    options: {},
  },
];

export function configOf(runtimes: readonly RuntimeState[]): Config {
  const chosen = runtimes.find(({ isDefault }) => isDefault);
  return {
    ...(chosen === undefined ? {} : { model: `${chosen.kind}/${defaultModel}` }),
    default_agent: defaultAgent,
    share: "disabled",
    autoupdate: false,
    agent: {},
    mode: {},
    command: {},
    plugin: [],
    mcp: {},
  };
}

export function providerOf({ kind, models }: RuntimeState): Provider {
  const listed = Object.fromEntries(modelIds(models).map((id) => [id, modelOf(kind, id)]));
  return { id: kind, name: providerName(kind), source: "custom", env: [], options: {}, models: listed };
}

/** The default model of each provider. */
export function defaultsOf(runtimes: readonly RuntimeState[]): Record<string, string> {
  return Object.fromEntries(runtimes.map(({ kind }) => [kind, defaultModel]));
}

/** Clients use the first provider by default. */
export function usableFirst(runtimes: readonly RuntimeState[]): RuntimeState[] {
  const rank = ({ ready, isDefault }: RuntimeState) => (ready ? 0 : 2) + (isDefault ? 0 : 1);
  return runtimes.toSorted((a, b) => rank(a) - rank(b));
}

function modelIds(models: readonly string[]): string[] {
  return [...new Set([defaultModel, ...models])];
}

function providerName(kind: string): string {
  return names[kind] ?? kind;
}

const names: Partial<Record<string, string>> = {
  opencode: "OpenCode",
  claude: "Claude Code",
  pi: "pi",
  stub: "Scripted agent",
};

function modelOf(providerID: string, id: string): Model {
  const only = { text: true, audio: false, image: false, video: false, pdf: false };
  return {
    id,
    providerID,
    api: { id, url: "", npm: "" },
    name: modelName(providerID, id),
    family: "",
    capabilities: {
      temperature: false,
      reasoning: false,
      attachment: false,
      toolcall: true,
      input: only,
      output: only,
      interleaved: false,
    },
    cost: { input: 0, output: 0, cache: { read: 0, write: 0 } },
    limit: { context: 0, output: 0 },
    status: "active",
    options: {},
    headers: {},
    release_date: "",
    variants: {},
  };
}

function modelName(providerID: string, id: string): string {
  return id === defaultModel ? `${providerName(providerID)}'s choice` : id;
}

// The formats of OpenCode's newer API.

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
  return { id: kind, name: providerName(kind), api: { type: "native", settings: {} }, request };
}

export function modelsV2({ kind, ready, models }: RuntimeState): ModelV2Info[] {
  return modelIds(models).map((id) => ({
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
