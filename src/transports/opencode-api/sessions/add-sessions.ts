/** Everything about sessions: lanes as OpenCode's clients see and use them. */
import type { OpenCodeApp } from "../add-opencode.ts";
import { addAskRoutes } from "./asks/ask-routes.ts";
import { addMessageRoutes } from "./message-routes.ts";
import { addPromptRoutes } from "./prompts/prompt-routes.ts";
import type { SessionDeps } from "./session-deps.ts";
import { addSessionRoutes } from "./session-routes.ts";

export function addSessions(app: OpenCodeApp, deps: SessionDeps): void {
  addSessionRoutes(app, deps);
  addMessageRoutes(app, deps);
  addPromptRoutes(app, deps);
  addAskRoutes(app, deps);
}
