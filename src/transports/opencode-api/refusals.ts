/**
 * Tells clients what Waybill does not do: refuses each OpenCode route that it does not serve, with the reason and an
 * alternative, and reports which parts of a request were ignored.
 */
import type { EventTuiToastShow } from "@opencode-ai/sdk/v2/types";
import type { MiddlewareHandler } from "hono";
import type { Env } from "../http/env.ts";
import { toAppError } from "../http/errors.ts";
import { notServed } from "./error-response.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { NoteFor, OpenCodeApp } from "./opencode-deps.ts";
import { refusedRoutes } from "./refused-routes.ts";
import { isOpenCodeClient } from "./request.ts";

type Hub = Pick<EventHub, "publishTransient">;

/** The terminal ignores their responses: without a toast, a refused key press would look as if it had worked. */
export const silentRoutes = [
  "PUT /auth/{providerID}",
  "POST /session/{sessionID}/command",
  "POST /session/{sessionID}/fork",
  "POST /session/{sessionID}/revert",
  "POST /session/{sessionID}/shell",
  "POST /session/{sessionID}/summarize",
  "POST /session/{sessionID}/unrevert",
] as const;

/** Call it before routes are added. */
export function showRefusals(app: OpenCodeApp, hub: Hub): void {
  for (const route of silentRoutes) app.use(honoPath(route), showRefusal(route, hub));
}

/** Every connected terminal shows it, because requests do not identify their terminal. */
export function showRefusal(route: string, hub: Hub): MiddlewareHandler<Env> {
  const refusal = refusedRoutes.find((one) => one.route === route)?.refusal;
  const [method] = route.split(" ");
  return async (c, next) => {
    await next();
    if (c.error === undefined || c.req.method !== method || !isOpenCodeClient(c)) return;
    const { message, hint = "" } = toAppError(c.error);
    // The route's name would mean nothing to the person who pressed a key.
    await hub.publishTransient(toast(refusal ? `${refusal.why} ${refusal.instead}` : `${message} ${hint}`.trim()));
  };
}

/** A notice in the corner of the terminal, shown long enough to be read twice. */
export function toast(message: string): EventTuiToastShow {
  return { type: "tui.toast.show", properties: { title: "Not done", message, variant: "warning", duration: 8000 } };
}

/** Call it last: served routes take precedence. */
export function addRefusedRoutes(app: OpenCodeApp): void {
  for (const { route, refusal } of refusedRoutes) {
    app.on(route.split(" ")[0] ?? "", honoPath(route), () => {
      throw notServed(`Waybill does not serve ${route}. ${refusal.why}`, refusal.instead);
    });
  }
}

/** Converts a path from OpenAPI's format, with names in braces, to Hono's. */
function honoPath(route: string): string {
  return (route.split(" ")[1] ?? "").replaceAll(/\{(\w+)\}/g, ":$1");
}

const noticeHeader = "X-Waybill-Notice";

/** Reports it to programs in a response header, to people in a toast in their terminal, once for each lane. */
export function ignoredNotes(hub: Pick<EventHub, "publishTransient">): NoteFor {
  const told = new Set<string>();
  return async (c, laneId, notice) => {
    c.header(noticeHeader, notice);
    const key = `${laneId} ${notice}`;
    if (told.has(key)) return;
    told.add(key);
    await hub.publishTransient(toast(notice));
  };
}
