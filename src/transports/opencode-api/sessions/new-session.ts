/** A new session is a new lane. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { LaneSettings } from "../../../service/service.ts";
import { notServed } from "../refused-routes.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";
import type { NativeAgentChoice } from "./native-agents.ts";
import { isNativeAgent, nativeAgent } from "./native-agents.ts";
import { permissionRulesBody, refuseRules } from "./permission-rules.ts";

export const newSessionBody = z.object({
  parentID: z.string().optional(),
  title: z.string().max(200).optional(),
  agent: z.string().min(1).max(128).optional(),
  model: z
    .object({
      id: z.string().min(1).max(200),
      providerID: z.string().min(1).max(64),
      variant: z.string().optional(),
    })
    .optional(),
  permission: permissionRulesBody.optional(),
});

const prefix = "oc-";

/** Whether a client of this API created the lane. */
export function isClientsLane(id: string): boolean {
  return id.startsWith(prefix);
}

export function newLaneId(): string {
  return `${prefix}${randomBytes(5).toString("hex")}`;
}

export type NewSession = { settings: LaneSettings; notice: string | null };

/** `defaultRuntime` is used if the body names no runtime. */
export function laneFor(body: z.output<typeof newSessionBody>, directory: string, defaultRuntime: string): NewSession {
  refuseRules(body.permission);
  if (body.parentID !== undefined) {
    throw notServed("Only agents create child sessions, not clients.", "Leave out `parentID`.");
  }
  refuseVariant(body.model?.variant);
  const runtime = body.model?.providerID ?? null;
  const { agent, notice } = newAgent(body.agent, runtime ?? defaultRuntime);
  const settings: LaneSettings = {
    id: newLaneId(),
    displayName: body.title?.trim() || null,
    team: null,
    member: null,
    runtime,
    directory,
    agent,
    model: body.model === undefined || body.model.id === defaultModel ? null : body.model.id,
    contract: "text",
  };
  return { settings, notice };
}

function newAgent(named: string | undefined, runtime: string): NativeAgentChoice {
  if (named === undefined || named === defaultAgent) return { agent: null, notice: null };
  return isNativeAgent(named) ? nativeAgent(named, { runtime, agent: null }) : { agent: named, notice: null };
}

export function refuseVariant(variant: string | undefined): void {
  if (variant === undefined || variant === "default") return;
  throw notServed(`Waybill's models have no variants, but "${variant}" was requested.`, "Choose a model without one.");
}
