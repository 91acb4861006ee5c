/**
 * What a prompt's model and agent change about its lane. Each runtime is a provider. Another model of the lane's own
 * runtime holds from this message on. Another runtime is only taken by a lane that a client made, while nothing was ever
 * sent in it: a session cannot move to another program. `default` leaves the lane as it is. Pure but for the list of
 * runtimes.
 *
 * OpenCode's terminal names a model with every prompt, and in a session without messages it names the one that new
 * sessions get. No person chose that, so it does not move a lane.
 */
import { AppError } from "../../../../app-error.ts";
import type { Lane, LaneChange } from "../../../../core/lane/lane.ts";
import type { RuntimeState, Service } from "../../../../service/service.ts";
import { sessionSettings } from "../../projection/session-view.ts";
import { defaultAgent, defaultModel } from "../../workspace/catalog.ts";
import { isClientsLane } from "../new-session.ts";
import type { PromptBody } from "./prompt-body.ts";

type Runtimes = readonly Pick<RuntimeState, "kind" | "isDefault">[];

/** Throws when the lane cannot be changed so. */
export function modelChoice(
  { model, agent }: Pick<PromptBody, "model" | "agent">,
  lane: Lane,
  isUsed: boolean,
  runtimes: Runtimes,
): LaneChange {
  refuseOtherAgent(sessionSettings(lane).agent, agent);
  if (model === undefined) return {};
  const named = model.modelID === defaultModel ? null : model.modelID;
  if (model.providerID === lane.runtime) return named === null ? {} : { model: named };
  const runtime = runtimes.find(({ kind }) => kind === model.providerID);
  if (!runtime) throw runtimeUnknown(model.providerID);
  const isOwn = isClientsLane(lane.id);
  if (!isOwn && named === null && runtime.isDefault) return {};
  if (isOwn && !isUsed) return { runtime: runtime.kind, model: named, agent: null };
  throw new AppError({
    code: "not_possible",
    message: `This session is one of "${lane.runtime}" and cannot go over to "${model.providerID}".`,
    hint: `Choose a model of "${lane.runtime}", or begin a new session.`,
  });
}

/** A runtime that is known and not ready is taken: messages to its lanes wait for it. */
export async function refuseUnknownRuntime(service: Service, providerID: string | undefined): Promise<void> {
  if (providerID === undefined || (await service.runtimes()).some(({ kind }) => kind === providerID)) return;
  throw runtimeUnknown(providerID);
}

function runtimeUnknown(providerID: string): AppError {
  return new AppError({
    code: "runtime_unknown",
    message: `There is no provider "${providerID}" here: a provider is a runtime of Waybill's.`,
    hint: "GET /provider lists them.",
  });
}

function refuseOtherAgent(own: string, named: string | undefined): void {
  if (named === undefined || named === own || named === defaultAgent) return;
  throw new AppError({
    code: "invalid_request",
    message: `This session works as the agent "${own}", and cannot change to "${named}".`,
    hint: "Leave `agent` out, or begin a session with that agent.",
  });
}
