/**
 * Lists that are always empty: commands, servers and workspaces belong to a lane's program. `/file/status` is also
 * empty in OpenCode.
 */
import type { OpenCodeApp } from "../opencode-deps.ts";

const emptyAnswers: Readonly<Record<string, object>> = {
  "/global/config": {},
  "/provider/auth": {},
  "/command": [],
  "/skill": [],
  "/lsp": [],
  "/formatter": [],
  "/mcp": {},
  "/find/symbol": [],
  "/file/status": [],
  "/experimental/capabilities": { backgroundSubagents: false },
  "/experimental/console": { consoleManagedProviders: [], switchableOrgCount: 0 },
  "/experimental/console/orgs": { orgs: [] },
  "/experimental/worktree": [],
  "/experimental/resource": {},
  "/experimental/workspace": [],
  "/experimental/workspace/status": [],
  "/experimental/workspace/adapter": [],
};

export function addEmptyAnswers(app: OpenCodeApp): void {
  for (const [path, answer] of Object.entries(emptyAnswers)) app.get(path, (c) => c.json(answer));
}
