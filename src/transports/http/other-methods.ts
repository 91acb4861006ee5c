/** Makes a known path answer 405, not 404, to a method that it does not support, and list the methods that it does. */
import type { Hono } from "hono";
import { AppError } from "../../platform/app-error.ts";
import type { Env } from "./env.ts";

/** Call it after all routes have been added. */
export function refuseOtherMethods(app: Hono<Env>): void {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of app.routes) {
    if (method !== "ALL") methods.set(path, (methods.get(path) ?? new Set<string>()).add(method));
  }
  for (const [path, taken] of methods) {
    if (taken.has("GET")) taken.add("HEAD");
    const allow = [...taken].sort().join(", ");
    app.all(path, (c, next) => {
      // The method is supported, but the route found nothing, for example a missing file.
      if (taken.has(c.req.method)) return next();
      c.header("Allow", allow);
      throw new AppError({
        code: "method_not_allowed",
        message: `${path} does not support ${c.req.method}.`,
        hint: `Use ${allow}.`,
      });
    });
  }
}
