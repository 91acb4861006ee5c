/** Lanes: where agents work, and what a person may do to one. */

import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { laneEventPageSchema, liveTurnSchema } from "../event-schemas.ts";
import {
  answerOf,
  changeErrors,
  flagQuery,
  guardedRoute,
  idParam,
  limit,
  readErrors,
  requestBody,
} from "../route-descriptions.ts";
import { adoptionSchema, laneSchema, newLaneSchema, pauseSchema, responseSchema } from "../schemas.ts";
import { laneView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const params = idParam("The lane's id.");

const before = z
  .string()
  .regex(/^\d{1,15}$/, "must be the number of an event")
  .transform(Number)
  .optional()
  .openapi({ type: "integer", minimum: 0, description: "Only events with a lower `seq`. Omit it for the newest." });

const changedLane = { 200: answerOf(laneSchema, "The updated lane."), ...changeErrors(404, 409) };

/** An action without a body that responds with the updated lane. */
function verb<const V extends "abort" | "resume" | "release">(name: V, summary: string, description: string) {
  return guardedRoute("lanes", `POST /v1/lanes/{id}/${name}`, `${name}Lane`, {
    summary,
    description,
    request: { params },
    responses: changedLane,
  });
}

export const laneRoutes = {
  list: guardedRoute("lanes", "GET /v1/lanes", "listLanes", {
    summary: "List lanes, with their current delivery and queue length",
    responses: {
      200: answerOf(responseSchema("LaneList", { lanes: z.array(laneSchema) }), "All lanes."),
      ...readErrors(),
    },
  }),
  show: guardedRoute("lanes", "GET /v1/lanes/{id}", "showLane", {
    summary: "Show a lane",
    request: { params },
    responses: { 200: answerOf(laneSchema, "The lane."), ...readErrors(404) },
  }),
  events: guardedRoute("lanes", "GET /v1/lanes/{id}/events", "listLaneEvents", {
    summary: "List what a lane's agent did and said, newest first",
    description:
      "Deltas are not kept. A page may be shorter than its limit when events are large. The events of a removed lane stay " +
      "available for as long as they are kept.",
    request: { params, query: z.strictObject({ before, limit }) },
    responses: { 200: answerOf(laneEventPageSchema, "One page of events."), ...readErrors(404) },
  }),
  turn: guardedRoute("lanes", "GET /v1/lanes/{id}/turn", "showTurn", {
    summary: "Show a lane's running turn, with the text of its open items so far",
    description:
      "For a client that starts following a lane mid-turn, because deltas are not kept. Compare the `offset` of later " +
      "deltas with these texts to find what is new.",
    request: { params },
    responses: { 200: answerOf(liveTurnSchema, "The open items."), ...readErrors(404) },
  }),
  remove: guardedRoute("lanes", "DELETE /v1/lanes/{id}", "removeLane", {
    summary: "Remove a lane",
    description: "Its messages, deliveries and events are kept.",
    request: {
      params,
      query: z.strictObject({
        force: flagQuery("`true`: cancels its open deliveries."),
      }),
    },
    responses: { 204: { description: "The lane is removed." }, ...changeErrors(404, 409) },
  }),
  abort: verb(
    "abort",
    "Abort the running turn, or the prompt that is about to be sent",
    "Its delivery is cancelled and never retried. The next message in the queue follows.",
  ),
  pause: guardedRoute("lanes", "POST /v1/lanes/{id}/pause", "pauseLane", {
    summary: "Pause a lane: send nothing in it until it is resumed",
    request: { params, body: { content: { "application/json": { schema: pauseSchema } }, required: false } },
    responses: changedLane,
  }),
  resume: verb("resume", "Resume a paused lane", "Waiting messages are sent in order."),
  release: verb(
    "release",
    "Release a lane whose delivery waits for something that cannot be observed or written",
    "For a delivery that still owes the end of its turn or its read flag. An open delivery is cancelled.",
  ),
  adopt: guardedRoute("lanes", "POST /v1/lanes/{id}/session", "adoptSession", {
    summary: "Continue a lane in an existing session of its agent program",
    description:
      "Takes effect with the next message. Refused while a delivery holds the lane, for a session of another lane or directory, and for a subtask.",
    request: { params, body: requestBody(adoptionSchema) },
    responses: changedLane,
  }),
};

export function putLaneRoute(runtimeKinds: readonly string[]) {
  return guardedRoute("lanes", "POST /v1/lanes", "putLane", {
    summary: "Create a lane, or change its settings",
    description: "A changed lane keeps its session and its queue. Omitted settings come from the configuration.",
    request: { body: requestBody(newLaneSchema(runtimeKinds)) },
    responses: { 201: answerOf(laneSchema, "The created or updated lane."), ...changeErrors(404, 409) },
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
  app.openapi(laneRoutes.events, async (c) => {
    const { before = null, limit } = c.req.valid("query");
    const { events, nextBefore } = await service.laneEvents(c.req.valid("param").id, { before, limit });
    return c.json({ events: [...events], nextBefore }, 200);
  });
  app.openapi(laneRoutes.turn, async (c) =>
    c.json(liveTurnSchema.parse(await service.turn(c.req.valid("param").id)), 200),
  );
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
