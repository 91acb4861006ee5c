/** `member_briefing`, and `runtime_bootstrap_checkin`, which also reports that the caller has started. */
import { z } from "zod";
import type { Briefing } from "../../../service/agent-service.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import { memberSchema, memberText, teamSchema, teamText } from "./teams.ts";
import { changes, defineTool, readsOnly } from "./tool.ts";

const briefingSchema = z.object({
  you: memberSchema,
  team: teamSchema.nullable(),
  open: z.array(mailSchema).meta({ description: "Messages to you that you have not answered, oldest first." }),
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
