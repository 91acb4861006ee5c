/** What the API knows of the connection that a request came by, and of who sent it. */
import type { OpenAPIHono } from "@hono/zod-openapi";

export type Connection = {
  /** The port that is listened on. */
  port: number;
  /** Aborted when the server closes: streams end. */
  closing: AbortSignal;
  /** Runs once the answer is out, or cannot get out any more. */
  afterAnswer(run: () => void): void;
  /** Ends the connection in the middle of the answer, as if the line were cut. */
  cutOff(): void;
};

/** How a request showed that it may come in; null when it did not. */
export type Access = "token" | "cookie" | null;

export type Env = { Bindings: Connection; Variables: { access: Access } };

export type App = OpenAPIHono<Env>;
