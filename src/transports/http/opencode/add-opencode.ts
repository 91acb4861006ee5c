/**
 * The OpenCode-compatible API: what OpenCode's own clients ask of a server, answered from lanes (docs/opencode-api.md).
 * It stands behind the same gates as everything else; its routes are OpenCode's and not part of our own document.
 */
import { Hono } from "hono";
import type { App, Env } from "../env.ts";
import type { RouteDeps } from "../routes/route-deps.ts";
import { openCodePath } from "./opencode-address.ts";
import type { OpenCodeDeps } from "./opencode-deps.ts";
import { addPlace } from "./place/add-place.ts";
import { makeProjects } from "./place/projects.ts";
import { refuseTheRest } from "./refuse-the-rest.ts";
import { addSessions } from "./sessions/add-sessions.ts";
import { deliveryEnd } from "./sessions/prompts/delivery-end.ts";

export type OpenCodeApp = Hono<Env>;

export function addOpenCode(app: App, deps: RouteDeps): void {
  const sub: OpenCodeApp = new Hono<Env>();
  const all: OpenCodeDeps = { ...deps, projects: makeProjects(deps.clock) };
  addPlace(sub, all);
  addSessions(sub, {
    ...all,
    liveMessages: async () => [],
    turnEnd: (wanted) => deliveryEnd(deps.desk, wanted),
    patienceMs: 20_000,
  });
  refuseTheRest(sub);
  app.route(openCodePath, sub);
}
