/** What the API knows about the connection of a request and about its sender. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller } from "../../service/agent-service.ts";

export type ConnectionInfo = {
  port: number;
  /** Aborted when the server closes. */
  closing: AbortSignal;
  /** Runs once the response was sent, or cannot be sent any more. */
  afterAnswer(run: () => void): void;
  /** Ends the connection in the middle of the response. */
  cutOff(): void;
  /** Gets the route of a mounted API that answers the request. */
  mountedRoute?(route: string): void;
  /** Whose token opened a mounted API that has its own. */
  caller?: Caller;
};

/** How a request was authenticated; null when it was not. */
export type Access = "token" | "cookie" | null;

export type Env = { Bindings: ConnectionInfo; Variables: { access: Access; caller?: Caller; mountedRoute?: string } };

export type App = OpenAPIHono<Env>;
