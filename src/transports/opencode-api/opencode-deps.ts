/** The app that the routes for OpenCode's clients are added to, and their dependencies. */
import type { Context, Hono } from "hono";
import type { Env } from "../http/env.ts";
import type { RouteDeps } from "../http/routes/route-deps.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { UnattendedLanes } from "./sessions/unattended-lanes.ts";
import type { Projects } from "./workspace/projects.ts";

export type OpenCodeApp = Hono<Env>;

export type OpenCodeDeps = RouteDeps & { projects: Projects };

/** Tells a client which part of its request was ignored. */
export type NoteFor = (c: Context<Env>, laneId: string, notice: string) => Promise<void>;

/** The dependencies of the session routes. */
export type SessionDeps = OpenCodeDeps & {
  hub: Pick<EventHub, "liveMessages" | "turnEnd" | "busySessions">;
  unattended: UnattendedLanes;
  noteFor: NoteFor;
  /** The interval at which the response to a prompt gets a blank while it waits. */
  timeoutMs: number;
};
