/**
 * Another API that the same server offers below a path of its own. It stands behind the same gates as the rest, and its
 * routes are loaded with the first request for them.
 */
import type { Context, ErrorHandler } from "hono";
import { Hono } from "hono";
import { programPart } from "../../program-part.ts";
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
  /** Whether pages of the allowed origins may call it, which takes CORS headers. */
  crossOrigin: boolean;
  /** Its routes, without the path that they stand below. */
  load: () => Promise<(deps: RouteDeps) => Hono<Env>>;
};

export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`));
}

export type MountAnswers = { onError: ErrorHandler<Env>; notFound: (c: Context<Env>) => Response | Promise<Response> };

export function addMount(app: App, mount: Mount, deps: RouteDeps, answers: MountAnswers): void {
  let loaded: Promise<Hono<Env>> | null = null;
  app.all(`${mount.basePath}/*`, async (c) => {
    loaded ??= loadMount(mount, deps, answers);
    const { fetch } = await loaded;
    return fetch(c.req.raw, { ...c.env, mountedRoute: (route) => c.set("mountedRoute", route) });
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
