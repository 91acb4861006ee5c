/**
 * What a prompt's model and agent change about its lane. Each runtime is a provider. Another model of the lane's own
 * runtime holds from this message on. Another runtime is only taken by a lane that a client made, while nothing was ever
 * sent in it: a session cannot move to another program. `default` leaves the lane as it is, and so does an agent, unless
 * it is one of OpenCode's own two. Pure but for the list of runtimes.
 *
 * OpenCode's terminal names a model with every prompt, and in a session without messages it names the one that new
 * sessions get. No person chose that, so it does not move a lane.
 */
import { AppError } from "../../../../app-error.ts";
import type { Lane, LaneChange } from "../../../../core/lane/lane.ts";
import type { RuntimeState } from "../../../../service/service.ts";
import { sessionSettings } from "../../projection/session-view.ts";
import { defaultAgent, defaultModel } from "../../workspace/catalog.ts";
import { isNativeAgent, nativeAgent } from "../native-agents.ts";
import { isClientsLane } from "../new-session.ts";
import type { PromptBody } from "./prompt-body.ts";

type Runtimes = readonly Pick<RuntimeState, "kind" | "isDefault">[];

/** `notice` says what of it was ignored. */
export type PromptChoice = { change: LaneChange; notice: string | null };

/** Throws when the lane cannot be changed so. */
export function promptChoice(
  { model, agent }: Pick<PromptBody, "model" | "agent">,
  lane: Lane,
  isUsed: boolean,
  runtimes: Runtimes,
): PromptChoice {
  refuseOtherAgent(sessionSettings(lane).agent, agent);
  const change = modelChange(model, lane, isUsed, runtimes);
  if (agent === undefined || !isNativeAgent(agent)) return { change, notice: null };
  const choice = nativeAgent(agent, { ...lane, ...change });
  return { change: choice.agent === lane.agent ? change : { ...change, agent: choice.agent }, notice: choice.notice };
}

function modelChange(model: PromptBody["model"], lane: Lane, isUsed: boolean, runtimes: Runtimes): LaneChange {
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
export function refuseUnknownRuntime(runtimes: Runtimes, providerID: string | undefined): void {
  if (providerID === undefined || runtimes.some(({ kind }) => kind === providerID)) return;
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
  if (named === undefined || named === own || named === defaultAgent || isNativeAgent(named)) return;
  throw new AppError({
    code: "invalid_request",
    message: `This session works as the agent "${own}", and cannot change to "${named}".`,
    hint: "Leave `agent` out, or begin a session with that agent.",
  });
}
