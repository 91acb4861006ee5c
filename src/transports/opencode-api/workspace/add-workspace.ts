/** Everything that is not about one session: where the server works, what it can do, and the files there. */
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { addApiRoutes } from "./api-routes.ts";
import { addEmptyAnswers } from "./empty-answers.ts";
import { addFileRoutes } from "./file-routes.ts";
import { addLogRoute } from "./log-route.ts";
import { addPlaceRoutes } from "./workspace-routes.ts";

export function addPlace(app: OpenCodeApp, deps: OpenCodeDeps): void {
  addPlaceRoutes(app, deps);
  addEmptyAnswers(app);
  addApiRoutes(app, deps);
  addFileRoutes(app, deps);
  addLogRoute(app, deps);
}
