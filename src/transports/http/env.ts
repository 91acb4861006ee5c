/** What the API knows about the connection of a request and about its sender. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller } from "../../service/agent-service.ts";

export type ConnectionInfo = {
  port: number;
  /** Aborted when the server closes. */
  closing: AbortSignal;
  /** Runs once the response has been sent, or can no longer be sent. */
  afterAnswer(run: () => void): void;
  /** Ends the connection in the middle of the response. */
  cutOff(): void;
  /** Receives the route of a mounted API that handles the request. */
  mountedRoute?(route: string): void;
  /** The owner of the token, for a mounted API that has its own tokens. */
  caller?: Caller;
};

/** How a request was authenticated; null when it was not. */
export type Access = "token" | "cookie" | null;

export type Env = { Bindings: ConnectionInfo; Variables: { access: Access; caller?: Caller; mountedRoute?: string } };

export type App = OpenAPIHono<Env>;
