/** A client program may write a line to Waybill's log. What it adds beside the line may hold anything, and is left out. */
import { z } from "@hono/zod-openapi";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { bodyOf } from "../request-body.ts";

const maxCharacters = 2000;

const entryShape = z.object({
  service: z.string().max(200),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
});

export function addLogRoute(app: OpenCodeApp, { onClientLog }: OpenCodeDeps): void {
  app.post("/log", async (c) => {
    const { service, level, message } = await bodyOf(c, entryShape);
    onClientLog({ service, level, message: message.slice(0, maxCharacters) });
    return c.json(true);
  });
}
