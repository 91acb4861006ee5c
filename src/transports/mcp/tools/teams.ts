/** Teams and members as agents see them: their schemas, and their text for a model. */
import { z } from "zod";
import { memberStates } from "../../../core/team/team.ts";
import type { MemberView, TeamView } from "../../../service/agent-service.ts";

export const memberSchema = z.object({
  name: z.string(),
  displayName: z.string().nullable(),
  kind: z.enum(["lane", "native", "person"]).meta({
    description: "lane: an agent that Waybill runs; native: an agent that runs outside Waybill; person: a human.",
  }),
  role: z.string().nullable(),
  state: z.enum(memberStates),
});

export const teamSchema = z.object({
  name: z.string(),
  displayName: z.string().nullable(),
  state: z.enum(["active", "paused", "stopped"]).meta({ description: "Messages wait while a team is not active." }),
  members: z.array(memberSchema),
});

export function teamText({ name, displayName, state, members }: TeamView): string {
  const called = displayName === null ? "" : ` (${displayName})`;
  return [`Team ${name}${called}, ${state}:`, ...members.map((member) => `- ${memberText(member)}`)].join("\n");
}

export function memberText({ name, displayName, kind, role, state }: MemberView): string {
  const called = displayName === null ? "" : ` (${displayName})`;
  const what = kind === "person" ? "a person" : "an agent";
  return `${name}${called}: ${[role, what, state].filter(Boolean).join(", ")}`;
}
