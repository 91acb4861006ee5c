/** The routes of OpenCode's newer API that the terminal requests at startup. Every response names its location. */
import type { Context } from "hono";
import { AppError } from "../../../platform/app-error.ts";
import type { Env } from "../../http/env.ts";
import type { OpenCodeApp, OpenCodeDeps } from "../opencode-deps.ts";
import { parseQuery, requestScope, requestWorkspace } from "../request.ts";
import { agentsV2, locationOf, modelsV2, providerV2, usableFirst } from "./catalog.ts";
import { listDirectory } from "./files.ts";
import { findFiles, findQuery } from "./find-files.ts";

export function addApiRoutes(app: OpenCodeApp, { service, projects }: OpenCodeDeps): void {
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
