/** `team_list`: lists the teams that the caller may write to. */
import { z } from "zod";
import { teamSchema, teamText } from "./teams.ts";
import { defineTool, readsOnly } from "./tool.ts";

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
