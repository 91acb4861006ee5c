/**
 * The HTTP API, version 1, over the service. Every request passes the same gates in the same order: its host and origin,
 * its token, its body; then a route. What needs no token is added before the gate that asks for one, and what takes other
 * bodies than JSON before the one that reads them.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Registry } from "prom-client";
import { AppError } from "../../app-error.ts";
import type { Clock } from "../../clock.ts";
import { systemClock } from "../../clock.ts";
import type { Service } from "../../service/service.ts";
import { makeBrowserSessions } from "./browser-sessions.ts";
import { allowCrossOrigin } from "./cors.ts";
import type { App, Env } from "./env.ts";
import { answerError, invalidRequest } from "./errors.ts";
import { identify, onlyAllowedNames, requireAccess, securityHeaders } from "./gates.ts";
import { jsonBody } from "./json-body.ts";
import { makeMetrics, routeOf } from "./metrics.ts";
import type { Mount } from "./mount.ts";
import { addMount, mountOf } from "./mount.ts";
import { openApiDocument } from "./openapi.ts";
import { refuseOtherMethods } from "./other-methods.ts";
import { addAsks } from "./routes/asks.ts";
import { addAttachments } from "./routes/attachments.ts";
import { addDeliveries } from "./routes/deliveries.ts";
import { addFrontPage } from "./routes/front-page.ts";
import { addHealth } from "./routes/health.ts";
import { addInbox } from "./routes/inbox.ts";
import { addLanes } from "./routes/lanes.ts";
import { addLogin, addLoginCodes } from "./routes/login.ts";
import { addMessages } from "./routes/messages.ts";
import { addProgram } from "./routes/program.ts";
import type { About, ClientLog, RouteDeps } from "./routes/route-deps.ts";
import { addStream } from "./routes/stream.ts";
import { addTeams } from "./routes/teams.ts";

export type AppOptions = {
  service: Service;
  token: string;
  about: About;
  /** What a lane may name as its runtime. */
  runtimeKinds: readonly string[];
  /** Other APIs, each below its own path. */
  mounts?: readonly Mount[];
  /** Beside loopback: `name:port`, or `name` for any port. */
  allowedHosts?: readonly string[];
  /** Beside those hosts: whole origins, `https://name[:port]`. */
  allowedOrigins?: readonly string[];
  bodyBytes?: number;
  /** How long a body may take to arrive. */
  bodyMs?: number;
  heartbeatMs?: number;
  /** May hold other metrics already. */
  registry?: Registry;
  onClientLog?: (entry: ClientLog) => void;
  clock?: Clock;
  /** Gets what was answered with 500 or 503, and what went wrong in a stream. */
  onError?: (error: unknown, where: { method: string; route: string }) => void;
};

export function makeApp(options: AppOptions): App {
  const { service, token, about, runtimeKinds, mounts = [], clock = systemClock, onError = () => {} } = options;
  const sessions = makeBrowserSessions(clock);
  const metrics = makeMetrics(options.registry ?? new Registry(), service);
  const report = (error: unknown, route: string) => onError(error, { method: "GET", route });
  const { heartbeatMs = 15_000, onClientLog = () => {} } = options;
  const deps: RouteDeps = { service, clock, sessions, metrics, about, runtimeKinds, heartbeatMs, onClientLog, report };

  const app: App = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.target, result.error.issues);
    },
  });
  const answer = (error: unknown, c: Context<Env>) => {
    const answerWith = mountOf(mounts, c.req.path)?.answerError ?? answerError;
    return answerWith(c, error, () => onError(error, { method: c.req.method, route: routeOf(c) }));
  };
  const answerNotFound = (c: Context<Env>) => answer(notFound(mountOf(mounts, c.req.path)), c);
  app.onError(answer);
  app.notFound(answerNotFound);

  app.use(metrics.measure, securityHeaders);
  app.use(onlyAllowedNames({ hosts: options.allowedHosts ?? [], origins: options.allowedOrigins ?? [] }, mounts));
  for (const { basePath, crossOrigin } of mounts) if (crossOrigin) app.use(`${basePath}/*`, allowCrossOrigin);
  addHealth(app, deps);
  addLogin(app, deps);
  app.use(identify(token, sessions, mounts));
  addFrontPage(app, deps);
  app.use(requireAccess(mounts));
  addAttachments(app, deps);
  const { bodyBytes = 2 * 1024 * 1024, bodyMs = 10_000 } = options;
  const bytes = (path: string) => mountOf(mounts, path)?.bodyBytes ?? bodyBytes;
  app.use(jsonBody({ bytes, ms: bodyMs }, clock));
  // Nobody hears of what is not durable.
  app.use(async (_, next) => {
    await next();
    await service.settled();
  });
  addLoginCodes(app, deps);
  addMessages(app, deps);
  addDeliveries(app, deps);
  addLanes(app, deps);
  addTeams(app, deps);
  addInbox(app, deps);
  addAsks(app, deps);
  addStream(app, deps);
  addProgram(app, deps, () => openApiDocument(runtimeKinds));
  refuseOtherMethods(app);
  for (const mount of mounts) addMount(app, mount, deps, { onError: answer, notFound: answerNotFound });
  return app;
}

function notFound(mount: Mount | undefined): AppError {
  return new AppError({
    code: "not_found",
    message: "There is nothing at this address.",
    hint: mount?.notFoundHint ?? "GET /openapi.json lists what there is.",
  });
}
