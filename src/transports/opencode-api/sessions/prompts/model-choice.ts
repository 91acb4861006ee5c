/**
 * How a prompt's model and agent change its lane. Each runtime is a provider. Another model of the lane's own runtime
 * applies from this message on. Another runtime is accepted only by a lane that a client created, and only before its
 * first message: a session cannot move to another program. `default` leaves the lane unchanged, and so does an agent,
 * unless it is one of OpenCode's own two. Pure except for the list of runtimes.
 *
 * OpenCode's terminal names a model with every prompt; in a session without messages, the default for new sessions. No
 * person chose that, so it does not move a lane.
 */

import type { Lane, LaneChange } from "../../../../core/lane/lane.ts";
import { AppError } from "../../../../platform/app-error.ts";
import type { RuntimeState } from "../../../../service/service.ts";
import { sessionSettings } from "../../projection/session-view.ts";
import { defaultAgent, defaultModel } from "../../workspace/catalog.ts";
import { isNativeAgent, nativeAgent } from "../native-agents.ts";
import { isClientsLane } from "../new-session.ts";
import type { PromptBody } from "./prompt-body.ts";

type Runtimes = readonly Pick<RuntimeState, "kind" | "isDefault">[];

/** `notice` reports what was ignored. */
export type PromptChoice = { change: LaneChange; notice: string | null };

/** Throws if the lane cannot change this way. */
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
    message: `This session belongs to "${lane.runtime}" and cannot move to "${model.providerID}".`,
    hint: `Choose a model of "${lane.runtime}", or start a new session.`,
  });
}

/** Accepts a known runtime that is not ready: messages to its lanes wait for it. */
export function refuseUnknownRuntime(runtimes: Runtimes, providerID: string | undefined): void {
  if (providerID === undefined || runtimes.some(({ kind }) => kind === providerID)) return;
  throw runtimeUnknown(providerID);
}

function runtimeUnknown(providerID: string): AppError {
  return new AppError({
    code: "runtime_unknown",
    message: `Unknown provider "${providerID}": Waybill's providers are its runtimes.`,
    hint: "GET /provider lists them.",
  });
}

function refuseOtherAgent(own: string, named: string | undefined): void {
  if (named === undefined || named === own || named === defaultAgent || isNativeAgent(named)) return;
  throw new AppError({
    code: "invalid_request",
    message: `This session uses the agent "${own}" and cannot switch to "${named}".`,
    hint: "Leave `agent` out, or start a session with that agent.",
  });
}
