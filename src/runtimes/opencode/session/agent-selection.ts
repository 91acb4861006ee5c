/** Selects the agent and the model that a lane's prompts name. An agent of one's own brings its model with it. */
import type { Lane, Notice } from "../../../core/lane/lane.ts";
import { nearest } from "../../../nearest.ts";
import type { ModelChoice, OpencodeApi } from "../server/opencode-api.ts";

export type AgentSelection = { agent?: string; model?: ModelChoice };

/** `refused` is for the ledger, `notice` for people. */
export type SelectedAgent = { selection: AgentSelection } | { refused: string; notice: Notice };

/** Checked against the server's own lists first: it would accept a prompt with an unknown name, and fail afterwards. */
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
  // Neither those that only work for another agent nor those that the program keeps for itself.
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

/** OpenCode's own two need not: its clients name a model beside them with every prompt. */
export function bringsModel(agent: string): boolean {
  return agent !== "build" && agent !== "plan";
}

export function qualifiedModelName({ providerID, modelID }: ModelChoice): string {
  return `${providerID}/${modelID}`;
}

/** Names the most likely ones of a list that may be long: those of the same provider. */
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
    notice: { code, message: `OpenCode knows no ${what} "${name}" in this directory. ${hint}` },
  };
}
