/** Which runtime, agent and model a lane may have. */

import type { Lane } from "../core/lane/lane.ts";
import { AppError } from "../platform/app-error.ts";
import type { RuntimeDescriptor } from "../runtimes/descriptor.ts";
import { descriptorOf, withDefaultModel } from "../runtimes/descriptor.ts";

export type ChoiceRules = {
  runtimeDescriptors: readonly RuntimeDescriptor[];
  defaults: { runtime: string; model: string | null };
};

/** The lane's agent and model with defaults filled in; refused if they do not fit together. */
export function checkedChoice(
  lane: Pick<Lane, "runtime" | "agent" | "model">,
  { runtimeDescriptors, defaults }: ChoiceRules,
) {
  const descriptor = descriptorOf(lane.runtime, runtimeDescriptors);
  const problem = descriptor.laneProblem(lane);
  if (problem) throw invalidLane(`The lane's ${problem.key} ${problem.reason}.`, problem.hint);
  return withDefaultModel(descriptor, lane, defaults.model);
}

export function invalidLane(message: string, hint: string): AppError {
  return new AppError({ code: "lane_invalid", message, hint });
}
