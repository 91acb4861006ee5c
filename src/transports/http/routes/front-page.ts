/** `GET /`: the status page for whoever may see it, and for everybody else how to get in. */
import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { headersOf } from "../errors.ts";
import { guardedRoute, readErrors } from "../route-descriptions.ts";
import { closedPage, pageHeaders, statusPage } from "../status-page.ts";
import { laneView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const htmlPage = { "text/html": { schema: z.string() } };

export const pageRoutes = {
  front: guardedRoute("page", {
    method: "get",
    path: "/",
    operationId: "frontPage",
    summary: "The lanes and their state, for people",
    responses: {
      ...readErrors(),
      200: { description: "The page.", content: htmlPage },
      401: { description: "How to get in.", content: htmlPage },
    },
  }),
};

export function addFrontPage(app: App, { service }: RouteDeps): void {
  app.openapi(pageRoutes.front, async (c) => {
    if (c.get("access") === null) return c.html(closedPage(), 401, { ...pageHeaders, ...headersOf(401) });
    return c.html(statusPage((await service.lanes()).map(laneView)), 200, pageHeaders);
  });
}
