/** What the routes for OpenCode's clients are made from. */
import type { RouteDeps } from "../routes/route-deps.ts";
import type { Projects } from "./place/projects.ts";

export type OpenCodeDeps = RouteDeps & { projects: Projects };
