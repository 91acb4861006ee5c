/** Where this server works, and what it can do there. */
import { homedir } from "node:os";
import { z } from "@hono/zod-openapi";
import type { Project as NativeProject, Path } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import type { Env } from "../../http/env.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { placeOf } from "../request-directory.ts";
import { queryOf } from "../request-query.ts";
import { agents, configOf, defaultsOf, providerOf, usableFirst } from "./catalog.ts";
import { changesIn } from "./git-changes.ts";
import type { Project } from "./projects.ts";
import { branchesOf } from "./projects.ts";

const wholeFile = 1_000_000;
const changesQuery = z.object({
  mode: z.enum(["git", "branch"]),
  /** Without it the whole file, as OpenCode does it. */
  context: z.coerce.number().int().min(0).max(wholeFile).default(wholeFile),
});

export function addPlaceRoutes(app: OpenCodeApp, { service, about, projects }: OpenCodeDeps): void {
  const shown = ({ id, worktree, vcs }: Project): NativeProject => ({
    id,
    worktree,
    ...(vcs === undefined ? {} : { vcs }),
    time: { created: about.startedAt, updated: about.startedAt },
    sandboxes: [],
  });
  const lanePlaces = async () => [...new Set((await service.lanes()).map(({ lane }) => lane.directory))];

  app.get("/global/health", (c) => c.json({ healthy: true, version: about.version }));

  app.get("/path", async (c) => {
    const { directory } = await placeOf(c, service);
    const { worktree } = await projects.projectOf(directory);
    // Where Waybill keeps its state and its configuration is not for clients.
    return c.json({ home: homedir(), state: "", config: "", worktree, directory } satisfies Path);
  });

  app.get("/project", async (c) => {
    const places = [(await placeOf(c, service)).directory, ...(await lanePlaces())];
    const found = await Promise.all(places.map((place) => projects.projectOf(place)));
    return c.json([...new Map(found.map((project) => [project.id, shown(project)])).values()]);
  });

  app.get("/project/current", async (c) => {
    const { directory } = await placeOf(c, service);
    return c.json(shown(await projects.projectOf(directory)));
  });

  app.get("/project/:projectID/directories", async (c) => {
    const places = [...new Set([(await placeOf(c, service)).directory, ...(await lanePlaces())])];
    const ids = await Promise.all(places.map(async (place) => (await projects.projectOf(place)).id));
    return c.json(places.filter((_, i) => ids[i] === c.req.param("projectID")).map((directory) => ({ directory })));
  });

  app.get("/vcs", async (c) => c.json(await branchesOf((await placeOf(c, service)).directory)));

  app.get("/vcs/diff", async (c) => c.json(await changesIn(await placeOf(c, service), queryOf(c, changesQuery))));

  addCatalogRoutes(app, { service });
}

function addCatalogRoutes(app: OpenCodeApp, { service }: Pick<OpenCodeDeps, "service">): void {
  app.get("/config", async (c) => c.json(configOf(await service.runtimes())));
  const runtimes = async (c: Context<Env>) =>
    usableFirst(await service.runtimes((await placeOf(c, service)).directory));
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
