/**
 * CORS headers for a mount whose clients run in pages of other origins. gates.ts has already checked the origin. A
 * preflight carries no token, so it is answered before the token is checked.
 */
import type { MiddlewareHandler } from "hono";
import type { Env } from "./env.ts";

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** How long a browser may cache the response to a preflight. */
const maxAgeSeconds = "600";

export const allowCrossOrigin: MiddlewareHandler<Env> = async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined) return next();
  const isPreflight = c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
  if (isPreflight) {
    c.header("Access-Control-Allow-Methods", methods);
    c.header("Access-Control-Allow-Headers", c.req.header("access-control-request-headers") ?? "");
    c.header("Access-Control-Max-Age", maxAgeSeconds);
    c.res = c.body(null, 204);
  } else await next();
  // Set last, so that errors carry them: otherwise a page could not tell a wrong password from a server that is down.
  c.res.headers.set("Access-Control-Allow-Origin", origin);
  c.res.headers.set("Access-Control-Expose-Headers", "X-Next-Cursor");
  c.res.headers.append("Vary", "Origin");
};
