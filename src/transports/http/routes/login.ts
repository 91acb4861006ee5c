/** How a browser comes in: a program that has the token gets a one-time code, and the browser takes it to `/login`. */
import { createRoute, z } from "@hono/zod-openapi";
import { setCookie } from "hono/cookie";
import type { App } from "../env.ts";
import { sessionCookie } from "../gates.ts";
import { answerOf, changeErrors, guardedRoute, openErrors } from "../route-descriptions.ts";
import { isoTime, loginSchema } from "../schemas.ts";
import { pageHeaders, refusedPage } from "../status-page.ts";
import type { RouteDeps } from "./route-deps.ts";

const tags = ["page"];
const htmlPage = { "text/html": { schema: z.string() } };

export const loginRoutes = {
  newCode: guardedRoute("page", {
    method: "post",
    path: "/v1/login",
    operationId: "newLoginCode",
    summary: "A one-time code for a browser",
    responses: { 200: answerOf(loginSchema, "Good once, for a minute."), ...changeErrors() },
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
      303: { description: "Come in." },
      403: {
        description: "The code is wrong, used or too old; or the `Host` or the `Origin` is not allowed.",
        content: { ...htmlPage, ...openErrors[403].content },
      },
    },
  }),
};

export function addLogin(app: App, { sessions }: RouteDeps): void {
  app.openapi(loginRoutes.login, (c) => {
    const { code } = c.req.valid("query");
    // A program that only looks ahead at a link must not use up its code.
    const sessionId = c.req.method === "GET" && typeof code === "string" ? sessions.redeem(code) : null;
    if (sessionId === null) return c.html(refusedPage(), 403, pageHeaders);
    setCookie(c, sessionCookie, sessionId, { httpOnly: true, sameSite: "Strict", path: "/" });
    return c.redirect("/", 303);
  });
}

export function addLoginCodes(app: App, { sessions }: RouteDeps): void {
  app.openapi(loginRoutes.newCode, (c) => {
    const { code, expiresAt } = sessions.newCode();
    return c.json({ code, expiresAt: isoTime(expiresAt) }, 200);
  });
}
