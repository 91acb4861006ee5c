/** Teams and their members, and what a person may do to them. */

import { z } from "@hono/zod-openapi";
import type { TeamDetail } from "../../../service/service.ts";
import type { App } from "../env.ts";
import { answerOf, changeErrors, guardedRoute, readErrors, requestBody } from "../route-descriptions.ts";
import { responseSchema } from "../schemas.ts";
import { memberTokenSchema, newMemberSchema, newTeamSchema, teamImportSchema, teamSchema } from "../team-schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

const name = z.string().min(1).max(256);
const teamParams = z.strictObject({ team: name.describe("The team's name.") });
const memberParams = teamParams.extend({
  member: name.describe("The member's name, or `lead` for the team's lead."),
});

const changedTeam = { 200: answerOf(teamSchema, "The updated team."), ...changeErrors(404, 409) };

/** An action without a body that responds with the updated team. */
function verb<const V extends "pause" | "resume" | "stop">(verbName: V, summary: string, description: string) {
  return guardedRoute("teams", `POST /v1/teams/{team}/${verbName}`, `${verbName}Team`, {
    summary,
    description,
    request: { params: teamParams },
    responses: changedTeam,
  });
}

export const teamRoutes = {
  list: guardedRoute("teams", "GET /v1/teams", "listTeams", {
    summary: "List teams with their members, and what each member is doing",
    responses: {
      200: answerOf(responseSchema("TeamList", { teams: z.array(teamSchema) }), "All teams."),
      ...readErrors(),
    },
  }),
  show: guardedRoute("teams", "GET /v1/teams/{team}", "showTeam", {
    summary: "Show a team",
    request: { params: teamParams },
    responses: { 200: answerOf(teamSchema, "The team."), ...readErrors(404) },
  }),
  put: guardedRoute("teams", "PUT /v1/teams/{team}", "putTeam", {
    summary: "Create a team, or change its display name",
    request: { params: teamParams, body: requestBody(newTeamSchema) },
    responses: changedTeam,
  }),
  import: guardedRoute("teams", "POST /v1/teams/import", "importTeam", {
    summary: "Follow the inbox files of a team",
    description:
      "Rows for members that Waybill runs are delivered, and flagged as read once answered. Messages to the other " +
      "members are written to their inbox files. Safe to repeat.",
    request: { body: requestBody(teamImportSchema) },
    responses: changedTeam,
  }),
  remove: guardedRoute("teams", "DELETE /v1/teams/{team}", "removeTeam", {
    summary: "Remove a team",
    description: "The lanes of its members stay, including their queues.",
    request: { params: teamParams },
    responses: { 204: { description: "The team is removed." }, ...changeErrors(404, 409) },
  }),
  pause: verb("pause", "Pause a team: send it nothing until it is resumed", "Running turns continue; messages wait."),
  resume: verb("resume", "Resume a paused or stopped team", "Waiting messages are sent in order."),
  stop: verb(
    "stop",
    "Stop a team",
    "Running turns are stopped and their deliveries cancelled. Queued messages stay, and their senders are notified.",
  ),
  putMember: guardedRoute("teams", "PUT /v1/teams/{team}/members/{member}", "putMember", {
    summary: "Add a member, or change one",
    description: "Adding a member that was shut down brings it back.",
    request: { params: memberParams, body: requestBody(newMemberSchema) },
    responses: changedTeam,
  }),
  removeMember: guardedRoute("teams", "DELETE /v1/teams/{team}/members/{member}", "removeMember", {
    summary: "Remove a member",
    description: "Its lane stays, and queued messages are still delivered. Its token is revoked.",
    request: { params: memberParams },
    responses: changedTeam,
  }),
  shutDown: guardedRoute("teams", "POST /v1/teams/{team}/members/{member}/shutdown", "shutDownMember", {
    summary: "Approve the shutdown of a member",
    description: "Its running turn is stopped, and it gets no messages until it is added again.",
    request: { params: memberParams },
    responses: changedTeam,
  }),
  token: guardedRoute("teams", "POST /v1/teams/{team}/members/{member}/token", "memberToken", {
    summary: "Get the token of a member that Waybill does not run",
    request: { params: memberParams },
    responses: { 200: answerOf(memberTokenSchema, "The member's token."), ...changeErrors(404, 409) },
  }),
};

function teamView(team: TeamDetail): z.output<typeof teamSchema> {
  return teamSchema.parse(team);
}

export function addTeams(app: App, { service }: RouteDeps): void {
  app.openapi(teamRoutes.list, async (c) => c.json({ teams: (await service.teams()).map(teamView) }, 200));
  app.openapi(teamRoutes.show, async (c) => c.json(teamView(await service.team(c.req.valid("param").team)), 200));
  app.openapi(teamRoutes.put, async (c) => {
    const { displayName = null } = c.req.valid("json");
    return c.json(teamView(await service.putTeam({ name: c.req.valid("param").team, displayName })), 200);
  });
  app.openapi(teamRoutes.import, async (c) => {
    const { directory, name = null, lanes = {}, join = false } = c.req.valid("json");
    return c.json(teamView(await service.importTeam({ directory, name, lanes, join })), 200);
  });
  app.openapi(teamRoutes.remove, async (c) => {
    await service.removeTeam(c.req.valid("param").team);
    return c.body(null, 204);
  });
  app.openapi(teamRoutes.pause, async (c) => c.json(teamView(await service.pauseTeam(c.req.valid("param").team)), 200));
  app.openapi(teamRoutes.resume, async (c) =>
    c.json(teamView(await service.resumeTeam(c.req.valid("param").team)), 200),
  );
  app.openapi(teamRoutes.stop, async (c) => c.json(teamView(await service.stopTeam(c.req.valid("param").team)), 200));
  app.openapi(teamRoutes.putMember, async (c) => {
    const { team, member } = c.req.valid("param");
    const { kind, lane = null, displayName = null, role = null, color = null, contract = null } = c.req.valid("json");
    const settings = { name: member, kind, lane, displayName, role, color, contract };
    return c.json(teamView(await service.putMember(team, settings)), 200);
  });
  app.openapi(teamRoutes.removeMember, async (c) => {
    const { team, member } = c.req.valid("param");
    return c.json(teamView(await service.removeMember(team, member)), 200);
  });
  app.openapi(teamRoutes.shutDown, async (c) => {
    const { team, member } = c.req.valid("param");
    return c.json(teamView(await service.shutDownMember(team, member)), 200);
  });
  app.openapi(teamRoutes.token, async (c) => {
    const { team, member } = c.req.valid("param");
    return c.json({ token: await service.memberToken(team, member) }, 200);
  });
}
