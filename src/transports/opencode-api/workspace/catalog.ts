/**
 * Providers, models and agents as OpenCode's clients choose from them: a runtime is a provider, and its models are those
 * that it is known to have, beside `default`, which leaves the choice to the lane and the program. Pure.
 *
 * The shapes want numbers and switches that Waybill does not know of other programs' models; those are 0, false, empty.
 */
import type { Agent, Config, Model, Provider } from "@opencode-ai/sdk/v2/types";
import type { RuntimeState } from "../../../service/service.ts";

export const defaultModel = "default";
export const defaultAgent = "default";

export const agents: readonly Agent[] = [
  {
    name: defaultAgent,
    description: "The agent of the lane, with the permissions that it was given there.",
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
  const ids = [defaultModel, ...models.filter((id) => id !== defaultModel)];
  const listed = Object.fromEntries(ids.map((id) => [id, modelOf(kind, id)]));
  return { id: kind, name: nameOf(kind), source: "custom", env: [], options: {}, models: listed };
}

/** The model that a client takes which has chosen none. */
export function defaultsOf(runtimes: readonly RuntimeState[]): Record<string, string> {
  return Object.fromEntries(runtimes.map(({ kind }) => [kind, defaultModel]));
}

/** Clients take the first provider when they know no better. */
export function usableFirst(runtimes: readonly RuntimeState[]): RuntimeState[] {
  const rank = ({ ready, isDefault }: RuntimeState) => (ready ? 0 : 2) + (isDefault ? 0 : 1);
  return runtimes.toSorted((a, b) => rank(a) - rank(b));
}

export function nameOf(kind: string): string {
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

export function modelName(providerID: string, id: string): string {
  return id === defaultModel ? `${nameOf(providerID)}'s choice` : id;
}
