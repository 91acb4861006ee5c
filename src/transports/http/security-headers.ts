/** Headers of every response: no caching, sniffing, framing or referrer. No CORS headers, on purpose. */
import type { MiddlewareHandler } from "hono";
import type { Env } from "./env.ts";

/** Pages set their own policy. */
const loadsNothing = "default-src 'none'; frame-ancestors 'none'";

export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", loadsNothing);
};
