/** The app that the routes for OpenCode's clients are added to, and their dependencies. */
import type { Hono } from "hono";
import type { Env } from "../http/env.ts";
import type { RouteDeps } from "../http/routes/route-deps.ts";
import type { Projects } from "./workspace/projects.ts";

export type OpenCodeApp = Hono<Env>;

export type OpenCodeDeps = RouteDeps & { projects: Projects };
