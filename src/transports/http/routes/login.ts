/**
 * Signing browsers in and out: a program that has the token requests a one-time code, and the browser exchanges it for
 * a session at `/login`.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { loadPageAnswers } from "../page/load-page-answers.ts";
import { beginSession, endSession } from "../page/session-cookie.ts";
import { answerOf, changeErrors, guardedRoute, openErrors } from "../route-descriptions.ts";
import { isoTime, loginSchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

const tags = ["page"];
const htmlPage = { "text/html": { schema: z.string() } };

export const loginRoutes = {
  newCode: guardedRoute("page", {
    method: "post",
    path: "/v1/login",
    operationId: "newLoginCode",
    summary: "Create a one-time code for a browser",
    responses: { 200: answerOf(loginSchema, "A code that works once, within ten minutes."), ...changeErrors() },
  }),
  logout: guardedRoute("page", {
    method: "post",
    path: "/v1/logout",
    operationId: "logout",
    summary: "Sign this browser out",
    description: "Deletes the cookie of this browser. Other browsers stay signed in.",
    responses: { 204: { description: "The browser is signed out." }, ...changeErrors() },
  }),
  login: createRoute({
    method: "get",
    path: "/login",
    operationId: "login",
    tags,
    security: [],
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
