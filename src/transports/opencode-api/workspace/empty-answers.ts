/**
 * What is asked for as a list, and is empty here: a lane's program has its own commands, servers and workspaces, and
 * Waybill has none. `/file/status` is empty in OpenCode, too.
 */
import type { OpenCodeApp } from "../add-opencode.ts";

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
