/** Everything that is not about one session: where the server works, what it can do, and the files there. */
import type { RouteDeps } from "../../routes/route-deps.ts";
import type { OpenCodeApp } from "../add-opencode.ts";

export function addPlace(app: OpenCodeApp, { about }: RouteDeps): void {
  app.get("/global/health", (c) => c.json({ healthy: true, version: about.version }));
}
