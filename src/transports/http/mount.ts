/**
 * Another API that the same server offers under its own path. It is behind the same gates as the rest, or has its own
 * tokens. Its routes are loaded on the first request.
 */
import type { Context, ErrorHandler } from "hono";
import { Hono } from "hono";
import { programPart } from "../../platform/program-part.ts";
import type { Caller } from "../../service/agent-service.ts";
import type { App, Env } from "./env.ts";
import { routeOf } from "./metrics.ts";
import { refuseOtherMethods } from "./other-methods.ts";
import type { RouteDeps } from "./routes/route-deps.ts";

export type Mount = {
  basePath: string;
  /** `report` gets the errors that are our fault, not the client's. */
  answerError: (c: Context, error: unknown, report: (error: unknown) => void) => Response;
  /** Tells a client where to find the list of routes. */
  notFoundHint: string;
  /** For clients that support only Basic: the token is also accepted as this user's password. Null to disable. */
  basic: { user: string; hint: string } | null;
  /**
   * For an API with its own tokens, one for each caller: returns the token's owner. Throws for any other token,
   * including the API's. Null for a mount that uses the API's token.
   */
  callerOf: ((given: GivenToken) => Promise<Caller>) | null;
  /** For an API called by a single service, with a secret instead of a token: throws if the secret is missing. */
  authorize?: (headers: Headers) => void;
  /** Host names that are allowed for this API only, in addition to those of the server. */
  hosts?: readonly string[];
  /** The size limit for a body, if it differs from the server's. */
  bodyBytes?: number;
  /** Whether pages of the allowed origins may call it, which requires CORS headers. */
  crossOrigin: boolean;
  /** Its routes, relative to `basePath`. */
  load: () => Promise<(deps: RouteDeps) => Hono<Env>>;
};

/** `isApiToken` allows a better hint when a client sends the API's token by mistake. */
export type GivenToken = { token: string | null; isApiToken: boolean };

export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`));
}

export type MountAnswers = { onError: ErrorHandler<Env>; notFound: (c: Context<Env>) => Response | Promise<Response> };

export function addMount(app: App, mount: Mount, deps: RouteDeps, answers: MountAnswers): void {
  let loaded: Promise<Hono<Env>> | null = null;
  app.all(`${mount.basePath}/*`, async (c) => {
    loaded ??= loadMount(mount, deps, answers);
    const { fetch } = await loaded;
    const caller = c.get("caller");
    const env = { ...c.env, mountedRoute: (route: string) => c.set("mountedRoute", route) };
    return fetch(c.req.raw, caller === undefined ? env : { ...env, caller });
  });
}

async function loadMount({ basePath, load }: Mount, deps: RouteDeps, answers: MountAnswers): Promise<Hono<Env>> {
  const app = new Hono<Env>().onError(answers.onError).notFound(answers.notFound);
  app.use(async (c, next) => {
    await next();
    c.env.mountedRoute?.(routeOf(c));
  });
  app.route(basePath, (await programPart(load))(deps));
  refuseOtherMethods(app);
  return app;
}
