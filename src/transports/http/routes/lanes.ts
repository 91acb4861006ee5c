/** Lanes: where agents work, and what a person may do to one. */
import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { answerOf, changeErrors, guardedRoute, idParam, readErrors, requestBody } from "../route-descriptions.ts";
import { adoptionSchema, laneSchema, newLaneSchema, pauseSchema } from "../schemas.ts";
import { laneView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const params = idParam("The lane's id.");

const changedLane = { 200: answerOf(laneSchema, "The lane as it is now."), ...changeErrors(404, 409) };

/** A plain verb: no body, and the changed lane as the response. */
function verb<const V extends "abort" | "resume" | "release">(name: V, summary: string, description: string) {
  return guardedRoute("lanes", {
    method: "post",
    path: `/v1/lanes/{id}/${name}`,
    operationId: `${name}Lane`,
    summary,
    description,
    request: { params },
    responses: changedLane,
  });
}

export const laneRoutes = {
  list: guardedRoute("lanes", {
    method: "get",
    path: "/v1/lanes",
    operationId: "listLanes",
    summary: "All lanes with what holds and what waits in them",
    responses: {
      200: answerOf(z.object({ lanes: z.array(laneSchema) }).openapi("LaneList"), "All of them."),
      ...readErrors(),
    },
  }),
  show: guardedRoute("lanes", {
    method: "get",
    path: "/v1/lanes/{id}",
    operationId: "showLane",
    summary: "One lane",
    request: { params },
    responses: { 200: answerOf(laneSchema, "The lane."), ...readErrors(404) },
  }),
  remove: guardedRoute("lanes", {
    method: "delete",
    path: "/v1/lanes/{id}",
    operationId: "removeLane",
    summary: "Remove a lane",
    description: "What happened in it stays.",
    request: {
      params,
      query: z.strictObject({
        force: z
          .enum(["true", "false"])
          .optional()
          .openapi({ description: "`true`: deliveries that are open in it end as cancelled." }),
      }),
    },
    responses: { 204: { description: "It is gone." }, ...changeErrors(404, 409) },
  }),
  abort: verb(
    "abort",
    "Stop the running turn, or what is about to be sent",
    "Its delivery is cancelled and never retried; what waits behind it goes on.",
  ),
  pause: guardedRoute("lanes", {
    method: "post",
    path: "/v1/lanes/{id}/pause",
    operationId: "pauseLane",
    summary: "Send nothing in this lane until it is resumed",
    request: { params, body: { content: { "application/json": { schema: pauseSchema } }, required: false } },
    responses: changedLane,
  }),
  resume: verb("resume", "Let a paused lane go on", "Messages that waited are sent in their order."),
  release: verb(
    "release",
    "Give back a lane that is held by what nobody can see or write",
    "For a delivery that still owes the end of its turn or its read flag; an open one is cancelled.",
  ),
  adopt: guardedRoute("lanes", {
    method: "post",
    path: "/v1/lanes/{id}/session",
    operationId: "adoptSession",
    summary: "Let a lane go on in a session that its agent program has already",
    description:
      "From the next message on. Refused while a delivery holds the lane, for a session of another lane or directory, and for a subtask.",
    request: { params, body: requestBody(adoptionSchema) },
    responses: changedLane,
  }),
};

export function putLaneRoute(runtimeKinds: readonly string[]) {
  return guardedRoute("lanes", {
    method: "post",
    path: "/v1/lanes",
    operationId: "putLane",
    summary: "Make a lane, or change the settings of one",
    description: "Its sessions and what waits in it stay. What is left out is what the configuration says.",
    request: { body: requestBody(newLaneSchema(runtimeKinds)) },
    responses: { 201: answerOf(laneSchema, "The lane as it is now."), ...changeErrors(404, 409) },
  });
}

export function addLanes(app: App, { service, runtimeKinds }: RouteDeps): void {
  app.openapi(laneRoutes.list, async (c) => c.json({ lanes: (await service.lanes()).map(laneView) }, 200));
  app.openapi(putLaneRoute(runtimeKinds), async (c) => {
    const { id, directory, contract = "text", ...given } = c.req.valid("json");
    const { displayName = null, team = null, member = null, runtime = null, agent = null, model = null } = given;
    const settings = { id, displayName, team, member, runtime, directory, agent, model, contract };
    return c.json(laneView(await service.putLane(settings)), 201);
  });
  app.openapi(laneRoutes.show, async (c) => c.json(laneView(await service.lane(c.req.valid("param").id)), 200));
  app.openapi(laneRoutes.remove, async (c) => {
    await service.removeLane(c.req.valid("param").id, c.req.valid("query").force === "true");
    return c.body(null, 204);
  });
  app.openapi(laneRoutes.abort, async (c) => c.json(laneView(await service.abort(c.req.valid("param").id)), 200));
  app.openapi(laneRoutes.pause, async (c) => {
    const { reason = "paused_by_person" } = c.req.valid("json");
    return c.json(laneView(await service.pause(c.req.valid("param").id, reason)), 200);
  });
  app.openapi(laneRoutes.resume, async (c) => c.json(laneView(await service.resume(c.req.valid("param").id)), 200));
  app.openapi(laneRoutes.release, async (c) => c.json(laneView(await service.release(c.req.valid("param").id)), 200));
  app.openapi(laneRoutes.adopt, async (c) => {
    const lane = await service.adoptSession(c.req.valid("param").id, c.req.valid("json").sessionId);
    return c.json(laneView(lane), 200);
  });
}
