/**
 * Another API that the same server offers under its own path. It is behind the same gates as the rest, or has its own
 * tokens. Its routes are loaded on the first request.
 */
import type { Context, ErrorHandler, MiddlewareHandler } from "hono";
import { Hono } from "hono";
import { AppError } from "../../platform/app-error.ts";
import { programPart } from "../../platform/program-part.ts";
import type { Caller } from "../../service/agent-service.ts";
import type { App, Env } from "./env.ts";
import { routeOf } from "./metrics.ts";
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

type MountAnswers = { onError: ErrorHandler<Env>; notFound: (c: Context<Env>) => Response | Promise<Response> };

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

const crossOriginMethods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** How long a browser may cache the response to a preflight. */
const maxAgeSeconds = "600";

/**
 * CORS headers for a mount whose clients run in pages of other origins. gates.ts has already checked the origin. A
 * preflight carries no token, so it is answered before the token is checked.
 */
export const allowCrossOrigin: MiddlewareHandler<Env> = async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined) return next();
  const isPreflight = c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
  if (isPreflight) {
    c.header("Access-Control-Allow-Methods", crossOriginMethods);
    c.header("Access-Control-Allow-Headers", c.req.header("access-control-request-headers") ?? "");
    c.header("Access-Control-Max-Age", maxAgeSeconds);
    c.res = c.body(null, 204);
  } else await next();
  // Set last, so that errors carry them: otherwise a page could not tell a wrong password from a server that is down.
  c.res.headers.set("Access-Control-Allow-Origin", origin);
  c.res.headers.set("Access-Control-Expose-Headers", "X-Next-Cursor");
  c.res.headers.append("Vary", "Origin");
};

/**
 * Makes a known path answer 405, not 404, to a method that it does not support, and list the methods that it does. Call
 * it after all routes have been added.
 */
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
