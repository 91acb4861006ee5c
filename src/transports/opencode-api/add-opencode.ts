/**
 * The OpenCode-compatible API: what OpenCode's own clients ask of a server, answered from lanes (docs/opencode-api.md).
 * It stands behind the same gates as everything else; its routes are OpenCode's and not part of our own document.
 */
import { Hono } from "hono";
import type { App, Env } from "../http/env.ts";
import type { RouteDeps } from "../http/routes/route-deps.ts";
import { addEventStreams } from "./events/add-event-streams.ts";
import { EventHub } from "./events/event-hub.ts";
import { honoPath, openCodePath } from "./opencode-address.ts";
import type { OpenCodeDeps } from "./opencode-deps.ts";
import { refuseTheRest } from "./refuse-the-rest.ts";
import { addSessions } from "./sessions/add-sessions.ts";
import { questionlessLanes } from "./sessions/asks/questionless-lanes.ts";
import { sessionView } from "./sessions/session-view.ts";
import { showRefusal, unseenRoutes } from "./show-refusals.ts";
import { addPlace } from "./workspace/add-workspace.ts";
import { makeProjects } from "./workspace/projects.ts";

export type OpenCodeApp = Hono<Env>;

export function addOpenCode(app: App, deps: RouteDeps): void {
  const sub: OpenCodeApp = new Hono<Env>();
  const all: OpenCodeDeps = { ...deps, projects: makeProjects(deps.clock) };
  const { about, service, clock, metrics, report } = deps;
  const hub = new EventHub({
    service,
    clock,
    sessionInfo: async (lane, updatedAt) => {
      const { id: projectID } = await all.projects.projectOf(lane.directory);
      return sessionView(lane, { projectID, updatedAt, version: about.version });
    },
    report: (error) => report(error, openCodePath),
  });
  sub.use((c, next) => {
    hub.endWith(c.env.closing);
    return next();
  });
  for (const route of unseenRoutes) sub.use(honoPath(route.split(" ")[1] ?? ""), showRefusal(route, hub));
  addPlace(sub, all);
  addSessions(sub, { ...all, hub, questionless: questionlessLanes(service), patienceMs: 20_000 });
  addEventStreams(sub, { service, hub, clock, metrics, report });
  refuseTheRest(sub);
  app.route(openCodePath, sub);
}
