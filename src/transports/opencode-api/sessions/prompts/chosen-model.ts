/**
 * The model that a prompt names. Each runtime is a provider: another model of the lane's own is the lane's from this
 * message on, and another runtime is taken only by a lane that a client made, while nothing was ever sent in it, since an
 * agent program's session cannot go over to another program. `default` leaves the lane as it is. Pure but for the list of
 * runtimes.
 *
 * OpenCode's terminal names a model with every prompt, and in a session without messages it names the one that new
 * sessions get. That is nobody's wish to move a lane, so it is taken for none.
 */
import { AppError } from "../../../../app-error.ts";
import type { Lane, LaneChange } from "../../../../core/lane/lane.ts";
import type { RuntimeState, Service } from "../../../../service/service.ts";
import { defaultAgent, defaultModel } from "../../workspace/catalog.ts";
import { isClientsLane } from "../new-session.ts";
import { placeOf } from "../session-view.ts";
import type { PromptBody } from "./prompt-body.ts";

export type Wish = Pick<PromptBody, "model" | "agent">;
type Runtimes = readonly Pick<RuntimeState, "kind" | "isDefault">[];

/** What is to be changed about the lane; throws when that cannot be. */
export function choiceOf({ model, agent }: Wish, lane: Lane, isUsed: boolean, runtimes: Runtimes): LaneChange {
  refuseOtherAgent(placeOf(lane).agent, agent);
  if (model === undefined) return {};
  const named = model.modelID === defaultModel ? null : model.modelID;
  if (model.providerID === lane.runtime) return named === null ? {} : { model: named };
  const runtime = runtimes.find(({ kind }) => kind === model.providerID);
  if (!runtime) throw runtimeUnknown(model.providerID);
  const isOwn = isClientsLane(lane.id);
  if (!isOwn && named === null && runtime.isDefault) return {};
  if (!isOwn || isUsed) throw wrongProvider(lane.runtime, model.providerID);
  return { runtime: runtime.kind, model: named, agent: null };
}

/** One that is known and not ready is taken, as everywhere: what is sent to its lanes waits for it. */
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

function refuseOtherAgent(own: string, wanted: string | undefined): void {
  if (wanted === undefined || wanted === own || wanted === defaultAgent) return;
  throw new AppError({
    code: "invalid_request",
    message: `This session works as the agent "${own}", and cannot change to "${wanted}".`,
    hint: "Leave `agent` out, or begin a session with that agent.",
  });
}

function wrongProvider(own: string, wanted: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `This session is one of "${own}" and cannot go over to "${wanted}".`,
    hint: `Choose a model of "${own}", or begin a new session.`,
  });
}
