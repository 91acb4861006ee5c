/**
 * The page: `index.html` at the address of each view, and the files that it loads. A browser without a session gets
 * instructions to sign in: a program that has the token requests a one-time code, and the browser exchanges it for a
 * session at `/login`.
 */
import { z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { isoTime } from "../../../platform/clock.ts";
import { programPart } from "../../../platform/program-part.ts";
import type { App, Env } from "../env.ts";
import { beginSession, endSession, renewSession } from "../page/browser-sessions.ts";
import type { FileContent } from "../page/page-files.ts";
import { loginSchema } from "../program-schemas.ts";
import { answerOf, changeErrors, guardedRoute, openErrors, openRoute, readErrors } from "../route-descriptions.ts";
import type { RouteDeps } from "./route-deps.ts";

/** Loaded lazily: startup does not need them. */
const loadPageAnswers = () => programPart(() => import("../page/page-answers.ts"));

const htmlPage = { "text/html": { schema: z.string() } };

export const pageRoutes = {
  front: guardedRoute("page", "GET /", "frontPage", {
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

export const loginRoutes = {
  newCode: guardedRoute("page", "POST /v1/login", "newLoginCode", {
    summary: "Create a one-time code for a browser",
    responses: { 200: answerOf(loginSchema, "A code that works once, within ten minutes."), ...changeErrors() },
  }),
  logout: guardedRoute("page", "POST /v1/logout", "logout", {
    summary: "Sign this browser out",
    description: "Deletes the cookie of this browser. Other browsers stay signed in.",
    responses: { 204: { description: "The browser is signed out." }, ...changeErrors() },
  }),
  login: openRoute("page", "GET /login", "login", {
    summary: "Exchange a one-time code for the page's cookie",
    request: {
      query: z.looseObject({ code: z.unknown().optional().openapi({ type: "string", description: "The code." }) }),
    },
    responses: {
      ...openErrors,
      303: { description: "Signed in; redirects to the page." },
      403: {
        description: "The code is wrong, used or expired; or the `Host` or the `Origin` is not allowed.",
        content: { ...htmlPage, ...openErrors[403].content },
      },
    },
  }),
};

export function addLogin(app: App, { sessions, loginCodes }: RouteDeps): void {
  app.openapi(loginRoutes.login, async (c) => {
    const { code } = c.req.valid("query");
    // A program that only previews a link must not use up its code.
    const isGood = c.req.method === "GET" && typeof code === "string" && loginCodes.redeem(code);
    if (!isGood) return (await loadPageAnswers()).answerRefused(c);
    beginSession(c, sessions);
    return c.redirect("/", 303);
  });
}

export function addSessions(app: App, { loginCodes }: RouteDeps): void {
  app.openapi(loginRoutes.newCode, (c) => {
    const { code, expiresAt } = loginCodes.newCode();
    return c.json({ code, expiresAt: isoTime(expiresAt) }, 200);
  });

  app.openapi(loginRoutes.logout, (c) => {
    endSession(c);
    return c.body(null, 204);
  });
}
