/** What the terminal asks of OpenCode's newer API at its start. Every answer says which location it is about. */
import type { Context } from "hono";
import { AppError } from "../../../app-error.ts";
import type { Env } from "../../http/env.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { placeOf } from "../request-directory.ts";
import { queryOf } from "../request-query.ts";
import { usableFirst } from "./catalog.ts";
import { agentsV2, locationOf, modelsV2, providerV2 } from "./catalog-v2.ts";
import { listDirectory } from "./files.ts";
import { findNames, findQuery } from "./find-names.ts";

export function addApiRoutes(app: OpenCodeApp, { service, projects }: OpenCodeDeps): void {
  const location = async (c: Context<Env>) => {
    const { directory } = await placeOf(c, service);
    return locationOf(directory, await projects.projectOf(directory));
  };
  const readyOnes = async (c: Context<Env>) =>
    usableFirst(await service.runtimes((await placeOf(c, service)).directory)).filter(({ ready }) => ready);

  app.get("/api/health", (c) => c.json({ healthy: true }));
  app.get("/api/location", async (c) => c.json(await location(c)));
  app.get("/api/agent", async (c) => c.json({ location: await location(c), data: agentsV2() }));
  app.get("/api/model", async (c) =>
    c.json({ location: await location(c), data: (await readyOnes(c)).flatMap(modelsV2) }),
  );
  app.get("/api/provider", async (c) =>
    c.json({ location: await location(c), data: (await readyOnes(c)).map(providerV2) }),
  );
  app.get("/api/provider/:providerID", async (c) => {
    const id = c.req.param("providerID");
    const runtime = (await readyOnes(c)).find(({ kind }) => kind === id);
    if (runtime === undefined) throw providerUnknown(id);
    return c.json({ location: await location(c), data: providerV2(runtime) });
  });
  for (const path of ["/api/integration", "/api/reference", "/api/command", "/api/skill"]) {
    app.get(path, async (c) => c.json({ location: await location(c), data: [] }));
  }
  app.get("/api/fs/list", async (c) => {
    const nodes = await listDirectory(await placeOf(c, service), c.req.query("path") ?? "");
    return c.json({ location: await location(c), data: nodes.map(({ path, type }) => ({ path, type })) });
  });
  app.get("/api/fs/find", async (c) => {
    const names = await findNames(await placeOf(c, service), queryOf(c, findQuery));
    return c.json({ location: await location(c), data: names.map(entryOf) });
  });
  app.get("/api/integration/:integrationID", async (c) => c.json({ location: await location(c), data: null }));
}

function entryOf(path: string) {
  return { path, type: path.endsWith("/") ? ("directory" as const) : ("file" as const) };
}

function providerUnknown(id: string): AppError {
  return new AppError({
    code: "not_found",
    message: `There is no provider "${id}".`,
    hint: "GET /api/provider lists them.",
  });
}
