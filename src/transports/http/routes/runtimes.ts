/** The agent programs, and the directories where they may work. */

import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { directoryListSchema, runtimeSchema } from "../program-schemas.ts";
import { answerOf, guardedRoute, readErrors } from "../route-descriptions.ts";
import { responseSchema } from "../schemas.ts";
import { runtimeView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const path = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, "must not contain a NUL character");

export const runtimeRoutes = {
  list: guardedRoute("runtimes", "GET /v1/runtimes", "listRuntimes", {
    summary: "List the agent programs that lanes can use, and their running processes",
    request: {
      query: z.strictObject({
        directory: path
          .optional()
          .describe("A directory where lanes already work: adds the models that programs list there."),
      }),
    },
    responses: {
      200: answerOf(responseSchema("RuntimeList", { runtimes: z.array(runtimeSchema) }), "All runtimes."),
      ...readErrors(),
    },
  }),
  directories: guardedRoute("runtimes", "GET /v1/directories", "listDirectories", {
    summary: "List directories where lanes may work, one level at a time",
    description:
      "Leaves out hidden directories, Waybill's own state, and links out of the allowed directories. At most 500, by name.",
    request: {
      query: z.strictObject({
        path: path.optional().describe("Absolute, or starting with `~`. Omit it to list the allowed directories."),
      }),
    },
    responses: { 200: answerOf(directoryListSchema, "The subdirectories."), ...readErrors() },
  }),
};

export function addRuntimes(app: App, { service }: RouteDeps): void {
  app.openapi(runtimeRoutes.list, async (c) => {
    const [runtimes, running] = await Promise.all([
      service.runtimes(c.req.valid("query").directory),
      service.programs(),
    ]);
    return c.json({ runtimes: runtimes.map((runtime) => runtimeView(runtime, running[runtime.kind])) }, 200);
  });
  app.openapi(runtimeRoutes.directories, async (c) =>
    c.json(directoryListSchema.parse(await service.directories(c.req.valid("query").path)), 200),
  );
}
