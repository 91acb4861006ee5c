/** Which agent or model a lane's prompts name. One of the two, never both: an agent brings its model with it. */
import type { Lane, Notice } from "../../../core/lane/lane.ts";
import { nearest } from "../../../nearest.ts";
import type { Agent, ModelChoice, OpencodeApi } from "../server/opencode-api.ts";

export type Choice = { agent?: string; model?: ModelChoice };

/** What the server does not know is refused: for the ledger in a line, for people as a notice. */
export type Chosen = { choice: Choice } | { refused: string; notice: Notice };

/**
 * Checked against the server's own lists before anything is sent: it would take an unknown name with thanks, and fail
 * afterwards.
 */
export async function chooseFor(
  { agent, model, directory }: Pick<Lane, "agent" | "model" | "directory">,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<Chosen> {
  if (agent !== null) {
    const known = (await api.agents(directory, signal)).filter(takesPrompts).map((one) => one.name);
    return known.includes(agent) ? { choice: { agent } } : unknown("agent", agent, known);
  }
  if (model === null) return { choice: {} };
  const known = await api.models(directory, signal);
  const found = known.find((one) => nameOf(one) === model) ?? onlyOne(known.filter((one) => one.modelID === model));
  return found ? { choice: { model: found } } : unknown("model", model, nearestFirst(model, known));
}

/** Not what only works for another agent, nor what the program keeps for itself. */
function takesPrompts({ mode, hidden }: Agent): boolean {
  return mode !== "subagent" && hidden !== true;
}

/** Of the provider that was named, before all others: there are hundreds. */
function nearestFirst(model: string, known: readonly ModelChoice[]): string[] {
  const isNear = ({ providerID }: ModelChoice) => model.startsWith(`${providerID}/`);
  return [...known.filter(isNear), ...known.filter((one) => !isNear(one))].map(nameOf);
}

export function nameOf({ providerID, modelID }: ModelChoice): string {
  return `${providerID}/${modelID}`;
}

function onlyOne<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

function unknown(what: "agent" | "model", name: string, known: readonly string[]): Chosen {
  // A list may be long: those of the same provider are the likelier ones.
  const [provider] = name.split("/");
  const alike = (one: string) => Number(one.split("/")[0] === provider);
  const some = known
    .toSorted((a, b) => alike(b) - alike(a))
    .slice(0, 8)
    .join(", ");
  const list = `${some}${known.length > 8 ? ", …" : ""}`;
  const code = `${what}_unknown`;
  const meant = nearest(name, known);
  const hint = meant === null ? `Known: ${list}.` : `Did you mean "${meant}"?`;
  return {
    refused: `${code}: ${name} (known: ${list})`,
    notice: { code, message: `OpenCode knows no ${what} "${name}" in this directory. ${hint}` },
  };
}
