/**
 * Another API that the same server offers below a path of its own. It stands behind the same gates as the rest, or has its
 * own tokens, and its routes are loaded with the first request for them.
 */
import type { Context, ErrorHandler } from "hono";
import { Hono } from "hono";
import { programPart } from "../../program-part.ts";
import type { Caller } from "../../service/agent-service.ts";
import type { App, Env } from "./env.ts";
import { routeOf } from "./metrics.ts";
import { refuseOtherMethods } from "./other-methods.ts";
import type { RouteDeps } from "./routes/route-deps.ts";

export type Mount = {
  basePath: string;
  /** `report` gets what is our fault and not the client's. */
  answerError: (c: Context, error: unknown, report: (error: unknown) => void) => Response;
  /** Where a client finds what there is. */
  notFoundHint: string;
  /** For clients that only know Basic: the token is also taken as the password of this user. Null where it is not. */
  basic: { user: string; hint: string } | null;
  /**
   * For an API with tokens of its own, one for each caller: whose this one is. Throws for any other, the API's token
   * included. Null where the API's token is what opens it.
   */
  callerOf: ((given: GivenToken) => Promise<Caller>) | null;
  /** For an API that one other service calls, with a secret in place of a token: throws for a request without it. */
  authorize?: (headers: Headers) => void;
  /** Names under which this API alone may be addressed, in addition to those of the server. */
  hosts?: readonly string[];
  /** The limit for a body, where it is not the server's. */
  bodyBytes?: number;
  /** Whether pages of the allowed origins may call it, which takes CORS headers. */
  crossOrigin: boolean;
  /** Its routes, without the path that they stand below. */
  load: () => Promise<(deps: RouteDeps) => Hono<Env>>;
};

/** `isApiToken` is for a hint to whoever sends the wrong one. */
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
