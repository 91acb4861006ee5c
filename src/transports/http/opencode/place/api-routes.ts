/** What the terminal asks of OpenCode's newer API at its start. Every answer says which location it is about. */
import type { Context } from "hono";
import { AppError } from "../../../../app-error.ts";
import type { Env } from "../../env.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { placeOf } from "../request-place.ts";
import { usableFirst } from "./catalog.ts";
import { agentsV2, locationOf, modelsV2, providerV2 } from "./catalog-v2.ts";

export function addApiRoutes(app: OpenCodeApp, { desk, projects }: OpenCodeDeps): void {
  const location = async (c: Context<Env>) => {
    const { directory } = await placeOf(c, desk);
    return locationOf(directory, await projects.projectOf(directory));
  };
  const readyOnes = async () => usableFirst(await desk.runtimes()).filter(({ ready }) => ready);

  app.get("/api/health", (c) => c.json({ healthy: true }));
  app.get("/api/location", async (c) => c.json(await location(c)));
  app.get("/api/agent", async (c) => c.json({ location: await location(c), data: agentsV2() }));
  app.get("/api/model", async (c) =>
    c.json({ location: await location(c), data: (await readyOnes()).flatMap(modelsV2) }),
  );
  app.get("/api/provider", async (c) =>
    c.json({ location: await location(c), data: (await readyOnes()).map(providerV2) }),
  );
  app.get("/api/provider/:providerID", async (c) => {
    const id = c.req.param("providerID");
    const runtime = (await readyOnes()).find(({ kind }) => kind === id);
    if (runtime === undefined) throw providerUnknown(id);
    return c.json({ location: await location(c), data: providerV2(runtime) });
  });
  for (const path of ["/api/integration", "/api/reference", "/api/command", "/api/skill"]) {
    app.get(path, async (c) => c.json({ location: await location(c), data: [] }));
  }
  app.get("/api/integration/:integrationID", async (c) => c.json({ location: await location(c), data: null }));
}

function providerUnknown(id: string): AppError {
  return new AppError({
    code: "not_found",
    message: `There is no provider "${id}".`,
    hint: "GET /api/provider lists them.",
  });
}
