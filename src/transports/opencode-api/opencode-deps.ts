/** What the routes for OpenCode's clients are made from. */
import type { RouteDeps } from "../http/routes/route-deps.ts";
import type { Projects } from "./workspace/projects.ts";

export type OpenCodeDeps = RouteDeps & { projects: Projects };
