/** The routes of the OpenCode-compatible API, over the service. Waybill's OpenAPI document does not list them. */
import { Hono } from "hono";
import type { Env } from "../http/env.ts";
import type { RouteDeps } from "../http/routes/route-deps.ts";
import { EventHub } from "./events/event-hub.ts";
import { addEventStreamRoutes } from "./events/event-stream-routes.ts";
import type { OpenCodeApp, OpenCodeDeps, SessionDeps } from "./opencode-deps.ts";
import { openCodePath } from "./opencode-path.ts";
import { sessionView } from "./projection/session-view.ts";
import { addRefusedRoutes, ignoredNotes, showRefusals } from "./refusals.ts";
import { addAskRoutes } from "./sessions/ask-routes.ts";
import { addPromptRoutes } from "./sessions/prompt-routes.ts";
import { addSessionRoutes } from "./sessions/session-routes.ts";
import { unattendedLanes } from "./sessions/unattended-lanes.ts";
import { makeProjects } from "./workspace/projects.ts";
import { addWorkspaceRoutes } from "./workspace/workspace-routes.ts";

export function makeOpenCodeApp(routeDeps: RouteDeps): OpenCodeApp {
  const app: OpenCodeApp = new Hono<Env>();
  const deps: OpenCodeDeps = { ...routeDeps, projects: makeProjects(routeDeps.clock) };
  const { about, service, clock, metrics, report } = deps;
  const hub = new EventHub({
    service,
    clock,
    sessionInfo: async (lane, updatedAt) => {
      const { id: projectID } = await deps.projects.projectOf(lane.directory);
      return sessionView(lane, { projectID, updatedAt, version: about.version });
    },
    report: (error) => report(error, openCodePath),
  });
  app.use((c, next) => {
    hub.closeWith(c.env.closing);
    return next();
  });
  showRefusals(app, hub);
  addWorkspaceRoutes(app, deps);
  const sessionDeps: SessionDeps = {
    ...deps,
    hub,
    unattended: unattendedLanes(service),
    noteFor: ignoredNotes(hub),
    timeoutMs: 20_000,
  };
  addSessionRoutes(app, sessionDeps);
  addPromptRoutes(app, sessionDeps);
  addAskRoutes(app, sessionDeps);
  addEventStreamRoutes(app, { service, hub, clock, metrics, report });
  addRefusedRoutes(app);
  return app;
}
