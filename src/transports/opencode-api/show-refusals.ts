/**
 * Brings before people's eyes what OpenCode's terminal keeps from them: some of its keys ask for something, and where
 * that is refused, nothing seems to happen, or it even looks as if it had been done.
 */
import type { MiddlewareHandler } from "hono";
import type { Env } from "../http/env.ts";
import { toAppError } from "../http/errors.ts";
import type { EventHub } from "./events/event-hub.ts";
import { toast } from "./events/toast.ts";
import { nativeRoutes } from "./native-routes.ts";
import { ofOpenCode } from "./request-client.ts";

/** Those that the terminal asks for and does not look at the answer of. */
export const unseenRoutes = [
  "PUT /auth/{providerID}",
  "POST /session/{sessionID}/command",
  "POST /session/{sessionID}/fork",
  "POST /session/{sessionID}/revert",
  "POST /session/{sessionID}/shell",
  "POST /session/{sessionID}/summarize",
  "POST /session/{sessionID}/unrevert",
] as const;

/** For one of these routes. Every terminal that is there shows it: nothing tells them apart. */
export function showRefusal(route: string, hub: Pick<EventHub, "tellInPassing">): MiddlewareHandler<Env> {
  const refusal = nativeRoutes.find((one) => one.route === route)?.refusal;
  const [method] = route.split(" ");
  return async (c, next) => {
    await next();
    if (c.error === undefined || c.req.method !== method || !ofOpenCode(c)) return;
    const { message, hint = "" } = toAppError(c.error);
    // The name of a route says nothing to whoever pressed a key.
    await hub.tellInPassing(toast(refusal ? `${refusal.why} ${refusal.instead}` : `${message} ${hint}`.trim()));
  };
}
