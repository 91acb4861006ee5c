/** The directory and project of a request, its files, its version control, the catalog, and the clients' log. */

import { homedir } from "node:os";
import { z } from "@hono/zod-openapi";
import type { Project as NativeProject, Path } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import { AppError } from "../../../platform/app-error.ts";
import { changesIn } from "../../../service/workspace/git-changes.ts";
import { branchesOf } from "../../../service/workspace/workspace.ts";
import type { Env } from "../../http/env.ts";
import type { OpenCodeApp, OpenCodeDeps } from "../opencode-deps.ts";
import { parseBody, parseQuery, requestScope, requestWorkspace } from "../request.ts";
import {
  agents,
  agentsV2,
  configOf,
  defaultsOf,
  locationOf,
  modelsV2,
  providerOf,
  providerV2,
  usableFirst,
} from "./catalog.ts";
import { listDirectory, readContent } from "./files.ts";
import type { Project } from "./projects.ts";
import { findFiles, findQuery, searchText } from "./search.ts";

const wholeFile = 1_000_000;
const changesQuery = z.object({
  mode: z.enum(["git", "branch"]),
  /** By default the whole file, as in OpenCode. */
  context: z.coerce.number().int().min(0).max(wholeFile).default(wholeFile),
});

const pathQuery = z.object({ path: z.string().max(4096) });
const patternQuery = z.object({ pattern: z.string().min(1).max(1000) });

const noBranches = { branch: null, defaultBranch: null };
const maxLogCharacters = 2000;
const logBody = z.object({
  service: z.string().max(200),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
});

/**
 * Lists that are always empty: commands, servers and workspaces belong to a lane's program. `/file/status` is also
 * empty in OpenCode.
 */
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

export function addWorkspaceRoutes(app: OpenCodeApp, deps: OpenCodeDeps): void {
  const { service, about, projects, onClientLog } = deps;
  const shown = ({ id, worktree, vcs }: Project): NativeProject => ({
    id,
    worktree,
    ...(vcs === undefined ? {} : { vcs }),
    time: { created: about.startedAt, updated: about.startedAt },
    sandboxes: [],
  });
  const laneDirectories = async () => [...new Set((await service.lanes()).map(({ lane }) => lane.directory))];

  app.get("/global/health", (c) => c.json({ healthy: true, version: about.version }));

  app.get("/path", async (c) => {
    const directory = await requestScope(c, service);
    const { worktree } = await projects.projectOf(directory);
    // Clients do not get the paths of Waybill's state and configuration.
    return c.json({ home: homedir(), state: "", config: "", worktree, directory } satisfies Path);
  });

  app.get("/project", async (c) => {
    const directories = [await requestScope(c, service), ...(await laneDirectories())];
    const found = await Promise.all(directories.map((directory) => projects.projectOf(directory)));
    return c.json([...new Map(found.map((project) => [project.id, shown(project)])).values()]);
  });

  app.get("/project/current", async (c) => {
    return c.json(shown(await projects.projectOf(await requestScope(c, service))));
  });

  app.get("/project/:projectID/directories", async (c) => {
    const directories = [...new Set([await requestScope(c, service), ...(await laneDirectories())])];
    const ids = await Promise.all(directories.map(async (directory) => (await projects.projectOf(directory)).id));
    return c.json(
      directories.filter((_, i) => ids[i] === c.req.param("projectID")).map((directory) => ({ directory })),
    );
  });

  app.get("/vcs", async (c) => {
    const directory = await requestScope(c, service);
    const { vcs } = await projects.projectOf(directory);
    const { branch, defaultBranch } = vcs === undefined ? noBranches : await branchesOf(directory);
    return c.json({ branch, default_branch: defaultBranch });
  });

  app.get("/vcs/diff", async (c) =>
    c.json(await changesIn(await requestWorkspace(c, service), parseQuery(c, changesQuery))),
  );

  // Extra data from the client may contain anything, so it is left out.
  app.post("/log", async (c) => {
    const { message, ...entry } = await parseBody(c, logBody);
    onClientLog({ ...entry, message: message.slice(0, maxLogCharacters) });
    return c.json(true);
  });

  addCatalogRoutes(app, deps);
  addFileRoutes(app, deps);
  addApiRoutes(app, deps);
  for (const [path, answer] of Object.entries(emptyAnswers)) app.get(path, (c) => c.json(answer));
}

function addCatalogRoutes(app: OpenCodeApp, { service }: OpenCodeDeps): void {
  app.get("/config", async (c) => c.json(configOf(await service.runtimes())));
  const runtimes = async (c: Context<Env>) => usableFirst(await service.runtimes(await requestScope(c, service)));
  app.get("/config/providers", async (c) => {
    const ready = (await runtimes(c)).filter((runtime) => runtime.ready);
    return c.json({ providers: ready.map(providerOf), default: defaultsOf(ready) });
  });
  app.get("/provider", async (c) => {
    const all = await runtimes(c);
    const connected = all.filter(({ ready }) => ready).map(({ kind }) => kind);
    return c.json({ all: all.map(providerOf), default: defaultsOf(all), connected });
  });
  app.get("/agent", (c) => c.json(agents));
}

/** Lists, reads and searches the files of a workspace; never changes them. */
function addFileRoutes(app: OpenCodeApp, { service, clock }: OpenCodeDeps): void {
  app.get("/file", async (c) =>
    c.json(await listDirectory(await requestWorkspace(c, service), parseQuery(c, pathQuery).path)),
  );

  app.get("/file/content", async (c) =>
    c.json(await readContent(await requestWorkspace(c, service), parseQuery(c, pathQuery).path)),
  );

  app.get("/find", async (c) =>
    c.json(await searchText(await requestWorkspace(c, service), parseQuery(c, patternQuery).pattern, clock)),
  );

  app.get("/find/file", async (c) =>
    c.json(await findFiles(await requestWorkspace(c, service), parseQuery(c, findQuery))),
  );
}

/** The routes of OpenCode's newer API that the terminal requests at startup. Every response names its location. */
function addApiRoutes(app: OpenCodeApp, { service, projects }: OpenCodeDeps): void {
  const location = async (c: Context<Env>) => {
    const directory = await requestScope(c, service);
    return locationOf(directory, await projects.projectOf(directory));
  };
  const readyRuntimes = async (c: Context<Env>) =>
    usableFirst(await service.runtimes(await requestScope(c, service))).filter(({ ready }) => ready);

  app.get("/api/health", (c) => c.json({ healthy: true }));
  app.get("/api/location", async (c) => c.json(await location(c)));
  app.get("/api/agent", async (c) => c.json({ location: await location(c), data: agentsV2() }));
  app.get("/api/model", async (c) =>
    c.json({ location: await location(c), data: (await readyRuntimes(c)).flatMap(modelsV2) }),
  );
  app.get("/api/provider", async (c) =>
    c.json({ location: await location(c), data: (await readyRuntimes(c)).map(providerV2) }),
  );
  app.get("/api/provider/:providerID", async (c) => {
    const id = c.req.param("providerID");
    const runtime = (await readyRuntimes(c)).find(({ kind }) => kind === id);
    if (runtime === undefined) {
      const message = `Unknown provider "${id}".`;
      throw new AppError({ code: "not_found", message, hint: "GET /api/provider lists them." });
    }
    return c.json({ location: await location(c), data: providerV2(runtime) });
  });
  for (const path of ["/api/integration", "/api/reference", "/api/command", "/api/skill"]) {
    app.get(path, async (c) => c.json({ location: await location(c), data: [] }));
  }
  app.get("/api/fs/list", async (c) => {
    const nodes = await listDirectory(await requestWorkspace(c, service), c.req.query("path") ?? "");
    return c.json({ location: await location(c), data: nodes.map(({ path, type }) => ({ path, type })) });
  });
  app.get("/api/fs/find", async (c) => {
    const names = await findFiles(await requestWorkspace(c, service), parseQuery(c, findQuery));
    return c.json({
      location: await location(c),
      data: names.map((path) => ({ path, type: path.endsWith("/") ? "directory" : "file" })),
    });
  });
  app.get("/api/integration/:integrationID", async (c) => c.json({ location: await location(c), data: null }));
}
