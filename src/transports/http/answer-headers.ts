/** Headers of every answer: nothing is cached, guessed, framed or told to other sites. No CORS headers, on purpose. */
import type { MiddlewareHandler } from "hono";
import type { Env } from "./env.ts";

/** Pages say what they need; everything else loads nothing at all. */
const loadsNothing = "default-src 'none'; frame-ancestors 'none'";

export const answerHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", loadsNothing);
};
