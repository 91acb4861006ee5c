/** A new session is a new lane. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../app-error.ts";
import type { LaneSettings } from "../../../service/service.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";
import { permissionRules, refuseRules } from "./permission-rules.ts";

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
  permission: permissionRules.optional(),
});

export type NewSession = z.output<typeof newSessionBody>;

const prefix = "oc-";

/** Whether the lane was made by a client of this API. */
export function isClientsLane(id: string): boolean {
  return id.startsWith(prefix);
}

export function laneFor(body: NewSession, directory: string): LaneSettings {
  refuseRules(body.permission);
  if (body.parentID !== undefined) {
    throw new AppError({
      code: "not_served",
      message: "A session below another one is made by an agent, and not by a client.",
      hint: "Leave out `parentID`.",
    });
  }
  refuseVariant(body.model?.variant);
  return {
    id: newLaneId(),
    displayName: body.title?.trim() || null,
    team: null,
    member: null,
    runtime: body.model?.providerID ?? null,
    directory,
    agent: chosen(body.agent, defaultAgent),
    model: chosen(body.model?.id, defaultModel),
    contract: "text",
  };
}

export function newLaneId(): string {
  return `${prefix}${randomBytes(5).toString("hex")}`;
}

export function refuseVariant(variant: string | undefined): void {
  if (variant === undefined || variant === "default") return;
  throw new AppError({
    code: "not_served",
    message: `Waybill's models have no variants, and "${variant}" was asked for.`,
    hint: "Choose a model without one.",
  });
}

function chosen(name: string | undefined, standIn: string): string | null {
  return name === undefined || name === standIn ? null : name;
}
