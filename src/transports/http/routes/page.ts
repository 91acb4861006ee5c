/**
 * The page: `index.html` at the address of each view, and the files that it loads. A browser without a session gets
 * instructions to sign in.
 */
import { z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { App, Env } from "../env.ts";
import { loadPageAnswers } from "../page/load-page-answers.ts";
import type { FileContent } from "../page/page-files.ts";
import { renewSession } from "../page/session-cookie.ts";
import { guardedRoute, readErrors } from "../route-descriptions.ts";
import type { RouteDeps } from "./route-deps.ts";

const htmlPage = { "text/html": { schema: z.string() } };

export const pageRoutes = {
  front: guardedRoute("page", {
    method: "get",
    path: "/",
    operationId: "frontPage",
    summary: "The page for people",
    description: "Its views have their own addresses, such as `/lanes`, with the same responses.",
    responses: {
      ...readErrors(),
      200: { description: "The page.", content: htmlPage },
      401: { description: "How to sign in.", content: htmlPage },
      503: { description: "The page is not built.", content: { ...htmlPage, ...readErrors()[503].content } },
    },
  }),
};

/** The page itself decides what each of them shows. */
export const pageViews = [
  ...["/lanes", "/lanes/:view{.+}", "/deliveries", "/deliveries/:view{.+}"],
  ...["/members/:view{.+}", "/status", "/search"],
];

const assets = "/assets/:name";
const icons = ["/favicon.ico", "/favicon.svg"];

/** The files that the page loads. */
export const pageFiles = [assets, ...icons];

/**
 * They need no session: they are the same in every copy of Waybill and contain no data, and a page whose session has
 * ended must still be able to load the part that says so.
 */
export function addPageFiles(app: App, { page }: RouteDeps): void {
  app.get(assets, fileFrom(page.asset, { hasHash: true }));
  for (const path of icons) app.get(path, fileFrom(page.besideIndex, { hasHash: false }));
}

function fileFrom(
  read: (name: string) => Promise<FileContent | null>,
  options: { hasHash: boolean },
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const name = c.req.param("name") ?? c.req.path.slice(1);
    const content = await read(name);
    if (content === null) return next();
    return (await loadPageAnswers()).answerFile(c, name, content, options);
  };
}

export function addPage(app: App, { page, sessions }: RouteDeps): void {
  const show = async (c: Context<Env>) => {
    const access = c.get("access");
    const { answerClosed, answerIndex, answerNotBuilt } = await loadPageAnswers();
    if (access === null) return answerClosed(c);
    const index = await page.index();
    if (index === null) return answerNotBuilt(c);
    if (access === "cookie") renewSession(c, sessions);
    return answerIndex(c, index);
  };
  app.openapi(pageRoutes.front, show);
  for (const view of pageViews) app.get(view, show);
}
