/**
 * Selects the agent and the model that a lane's prompts name: one server works for all lanes, so these are no arguments
 * of a program. A custom agent brings its own model.
 */
import type { Lane, Notice } from "../../core/lane/lane.ts";
import { nearest } from "../../platform/nearest.ts";
import type { ModelChoice, OpencodeApi } from "./client/api.ts";

export type AgentSelection = { agent?: string; model?: ModelChoice };

/** `refused` is for the ledger, `notice` for people. */
export type SelectedAgent = { selection: AgentSelection } | { refused: string; notice: Notice };

/** Checks names against the server's own lists, since it accepts a prompt with an unknown name and fails afterwards. */
export async function selectAgent(
  { agent, model, directory }: Pick<Lane, "agent" | "model" | "directory">,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<SelectedAgent> {
  const [selectedAgent, selectedModel] = await Promise.all([
    agent === null ? { selection: {} } : checkAgent(agent, directory, api, signal),
    model === null ? { selection: {} } : checkModel(model, directory, api, signal),
  ]);
  if ("refused" in selectedAgent) return selectedAgent;
  if ("refused" in selectedModel) return selectedModel;
  return { selection: { ...selectedAgent.selection, ...selectedModel.selection } };
}

async function checkAgent(
  agent: string,
  directory: string,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<SelectedAgent> {
  const agents = await api.agents(directory, signal);
  // Excludes subagents, which only work for another agent, and agents that OpenCode reserves for itself.
  const names = agents.filter(({ mode, hidden }) => mode !== "subagent" && hidden !== true).map(({ name }) => name);
  return names.includes(agent) ? { selection: { agent } } : unknownName("agent", agent, names);
}

async function checkModel(
  model: string,
  directory: string,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<SelectedAgent> {
  const models = await api.models(directory, signal);
  const sameId = models.filter((one) => one.modelID === model);
  const found =
    models.find((one) => qualifiedModelName(one) === model) ?? (sameId.length === 1 ? sameId[0] : undefined);
  return found ? { selection: { model: found } } : unknownName("model", model, models.map(qualifiedModelName));
}

export function qualifiedModelName({ providerID, modelID }: ModelChoice): string {
  return `${providerID}/${modelID}`;
}

/** The list of known names may be long, so the error shows only the most likely ones: those of the same provider. */
function unknownName(what: "agent" | "model", name: string, known: readonly string[]): SelectedAgent {
  const [provider] = name.split("/");
  const isLikely = (one: string) => Number(one.split("/")[0] === provider);
  const first = known.toSorted((a, b) => isLikely(b) - isLikely(a)).slice(0, 8);
  const list = `${first.join(", ")}${known.length > 8 ? ", …" : ""}`;
  const code = `${what}_unknown`;
  const similar = nearest(name, known);
  const hint = similar === null ? `Known: ${list}.` : `Did you mean "${similar}"?`;
  return {
    refused: `${code}: ${name} (known: ${list})`,
    notice: { code, message: `OpenCode has no ${what} "${name}" in this directory. ${hint}` },
  };
}
