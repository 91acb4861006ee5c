/** Says of each route that OpenCode has and Waybill does not serve that it is so, why, and what to do instead. */
import { AppError } from "../../app-error.ts";
import type { OpenCodeApp } from "./add-opencode.ts";
import { nativeRoutes } from "./native-routes.ts";
import { honoPath } from "./opencode-address.ts";

/** To be called last: a route that is there goes before its refusal. */
export function refuseTheRest(app: OpenCodeApp): void {
  for (const { route, refusal } of nativeRoutes) {
    const [method = "", path = ""] = route.split(" ");
    if (refusal === null) continue;
    app.on(method, honoPath(path), () => {
      throw new AppError({
        code: "not_served",
        message: `Waybill does not serve ${route}. ${refusal.why}`,
        hint: refusal.instead,
      });
    });
  }
}
