/** In OpenCode an agent brings its model along, so a lane names one of the two, and never both. Pure. */
import { AppError } from "../app-error.ts";

type Choice = { runtime: string; agent: string | null; model: string | null };

/** The lane's own choice; the configured model is for those that made none. */
export function choiceOf({ runtime, agent, model }: Choice, modelName: string | null) {
  const bringsModel = runtime === "opencode" && agent !== null;
  return { agent, model: model ?? (bringsModel ? null : modelName) };
}

export function refuseAgentWithModel({ runtime, agent, model }: Choice): void {
  if (runtime !== "opencode" || agent === null || model === null) return;
  throw new AppError({
    code: "lane_invalid",
    message: `An OpenCode lane has an agent or a model, and this one has both: agent "${agent}" and model "${model}".`,
    hint: "Leave out one of the two: an agent brings its own model along.",
  });
}
