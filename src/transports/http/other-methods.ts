/** A path that exists is never "not found": asked with a method that it does not take, it says which it takes. */
import type { Hono } from "hono";
import { AppError } from "../../app-error.ts";
import type { Env } from "./env.ts";

/** To be called when all routes are there. */
export function refuseOtherMethods(app: Hono<Env>): void {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of app.routes) {
    if (method !== "ALL") methods.set(path, (methods.get(path) ?? new Set<string>()).add(method));
  }
  for (const [path, taken] of methods) {
    if (taken.has("GET")) taken.add("HEAD");
    const allow = [...taken].sort().join(", ");
    app.all(path, (c) => {
      c.header("Allow", allow);
      throw new AppError({
        code: "method_not_allowed",
        message: `${path} does not take ${c.req.method}.`,
        hint: `It takes ${allow}.`,
      });
    });
  }
}
