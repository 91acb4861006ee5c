/** The tools about members: who the caller is and that it works, who else is there. */
import { z } from "zod";
import { memberStates } from "../../../core/team/team.ts";
import type { Briefing, MemberView, TeamView } from "../../../service/agent-service.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import { changes, defineTool, readsOnly } from "./tool.ts";

export const memberSchema = z.object({
  name: z.string(),
  displayName: z.string().nullable(),
  kind: z
    .enum(["lane", "native", "person"])
    .describe("lane: an agent that Waybill runs; native: an agent that runs outside Waybill; person: a human."),
  role: z.string().nullable(),
  state: z.enum(memberStates),
});

export const teamSchema = z.object({
  name: z.string(),
  displayName: z.string().nullable(),
  state: z.enum(["active", "paused", "stopped"]).describe("Messages wait while a team is not active."),
  members: z.array(memberSchema),
});

function teamText({ name, displayName, state, members }: TeamView): string {
  const called = displayName === null ? "" : ` (${displayName})`;
  return [`Team ${name}${called}, ${state}:`, ...members.map((member) => `- ${memberText(member)}`)].join("\n");
}

function memberText({ name, displayName, kind, role, state }: MemberView): string {
  const called = displayName === null ? "" : ` (${displayName})`;
  const what = kind === "person" ? "a person" : "an agent";
  return `${name}${called}: ${[role, what, state].filter(Boolean).join(", ")}`;
}

const briefingSchema = z.object({
  you: memberSchema,
  team: teamSchema.nullable(),
  open: z.array(mailSchema).describe("Messages to you that you have not answered, oldest first."),
});

export const memberBriefing = defineTool({
  name: "member_briefing",
  title: "Get your briefing",
  description: "Says who you are, who else is in your team, and which messages are waiting for your answer.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: briefingSchema,
  run: async (_, { agents, caller }) => briefingResult(await agents.briefing(caller)),
});

export const runtimeBootstrapCheckin = defineTool({
  name: "runtime_bootstrap_checkin",
  title: "Check in",
  description:
    "Reports that you have started and can receive messages. Call it once, when you begin. Returns your briefing.",
  annotations: changes({ repeatable: true }),
  input: z.strictObject({}),
  output: briefingSchema,
  run: async (_, { agents, caller }) => briefingResult(await agents.checkIn(caller)),
});

function briefingResult({ you, team, open }: Briefing) {
  const data = { you, team, open: mailViews(open) };
  const waiting =
    data.open.length === 0
      ? ["No message is waiting for your answer."]
      : [
          `${data.open.length === 1 ? "A message is waiting" : `${data.open.length} messages are waiting`} for your answer. Answer each with \
message_send: its sender as to, its id as relayOfMessageId, and an outcome.`,
          ...data.open.map(mailText),
        ];
  const text = [`You are ${memberText(you)}.`, ...(team ? [teamText(team)] : []), ...waiting].join("\n\n");
  return { data, text };
}

export const runtimeHeartbeat = defineTool({
  name: "runtime_heartbeat",
  title: "Send a heartbeat",
  description: "Reports that you are still working, so that you are not shown as idle or offline during long work.",
  annotations: changes({ repeatable: true }),
  input: z.strictObject({}),
  output: z.object({ noted: z.literal(true) }),
  async run(_, { agents, caller }) {
    await agents.heartbeat(caller);
    return { data: { noted: true as const }, text: "Noted." };
  },
});

export const teamList = defineTool({
  name: "team_list",
  title: "List teams",
  description: "Lists the teams that you may write to, with their members, their roles and what they are doing.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: z.object({ teams: z.array(teamSchema) }),
  async run(_, { agents, caller }) {
    const teams = await agents.teams(caller);
    return { data: { teams }, text: teams.map(teamText).join("\n\n") || "There is no team that you may write to." };
  },
});
