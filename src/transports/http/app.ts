/**
 * The HTTP API, version 1, over the service. Every request passes the same gates in the same order: its host and origin,
 * its token, its body; then a route. Routes that need no token are added before the token gate, and routes that take
 * bodies other than JSON before the gate that reads JSON.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Registry } from "prom-client";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemClock } from "../../platform/clock.ts";
import type { App, Env } from "./env.ts";
import { answerError, invalidRequest } from "./errors.ts";
import { identify, jsonBody, onlyAllowedNames, requireAccess, securityHeaders } from "./gates.ts";
import { makeMetrics, routeOf } from "./metrics.ts";
import type { Mount } from "./mount.ts";
import { addMount, allowCrossOrigin, mountOf, refuseOtherMethods } from "./mount.ts";
import { openApiDocument } from "./openapi.ts";
import { makeBrowserSessions } from "./page/browser-sessions.ts";
import type { LoginCodes } from "./page/login-codes.ts";
import { makeLoginCodes } from "./page/login-codes.ts";
import { makePageFiles } from "./page/page-files.ts";
import { addDeliveries } from "./routes/deliveries.ts";
import { addInbox } from "./routes/inbox.ts";
import { addLanes } from "./routes/lanes.ts";
import { addAttachments, addMessages } from "./routes/messages.ts";
import { addLogin, addPage, addPageFiles, addSessions } from "./routes/page.ts";
import { addDoctor, addHealth, addProgram } from "./routes/program.ts";
import type { ClientLog, RouteDeps } from "./routes/route-deps.ts";
import { addRuntimes } from "./routes/runtimes.ts";
import { addStatistics } from "./routes/stats.ts";
import { addStream } from "./routes/stream.ts";
import { addTeams } from "./routes/teams.ts";

export type AppOptions = Pick<RouteDeps, "service" | "about" | "runtimeKinds" | "doctor"> & {
  token: string;
  /** Holds the built page, if it was built. */
  pageDirectory: string;
  /** Passed in by a caller that also issues codes. */
  loginCodes?: LoginCodes;
  /** Other APIs, each below its own path. */
  mounts?: readonly Mount[];
  /** In addition to loopback: `name:port`, or `name` for any port. */
  allowedHosts?: readonly string[];
  /** In addition to those hosts: whole origins, `https://name[:port]`. */
  allowedOrigins?: readonly string[];
  bodyBytes?: number;
  /** How long a body may take to arrive. */
  bodyMs?: number;
  heartbeatMs?: number;
  /** May already hold other metrics. */
  registry?: Registry;
  onClientLog?: (entry: ClientLog) => void;
  clock?: Clock;
  /** Gets the errors behind responses with 500 or 503, and errors in streams. */
  onError?: (error: unknown, where: { method: string; route: string }) => void;
};

export function makeApp(options: AppOptions): App {
  const { service, token, about, runtimeKinds, doctor, mounts = [], clock = systemClock } = options;
  const { pageDirectory, loginCodes = makeLoginCodes(clock) } = options;
  const sessions = makeBrowserSessions(token, clock);
  const metrics = makeMetrics(options.registry ?? new Registry(), service);
  const { onError = () => {} } = options;
  const report = (error: unknown, route: string) => onError(error, { method: "GET", route });
  const { heartbeatMs = 15_000, onClientLog = () => {} } = options;
  const given = { service, clock, about, runtimeKinds, doctor };
  const browsers = { sessions, loginCodes, page: makePageFiles(pageDirectory) };
  const deps: RouteDeps = { ...given, ...browsers, metrics, heartbeatMs, onClientLog, report };

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
  addPageFiles(app, deps);
  app.use(identify(token, sessions, mounts));
  addPage(app, deps);
  app.use(requireAccess(mounts));
  addAttachments(app, deps);
  const { bodyBytes = 2 * 1024 * 1024, bodyMs = 10_000 } = options;
  const bytes = (path: string) => mountOf(mounts, path)?.bodyBytes ?? bodyBytes;
  app.use(jsonBody({ bytes, ms: bodyMs }, clock));
  // A response never shows anything that is not durable yet.
  app.use(async (_, next) => {
    await next();
    await service.settled();
  });
  addSessions(app, deps);
  addMessages(app, deps);
  addDeliveries(app, deps);
  addLanes(app, deps);
  addRuntimes(app, deps);
  addTeams(app, deps);
  addInbox(app, deps);
  addStatistics(app, deps);
  addDoctor(app, deps);
  addStream(app, deps);
  addProgram(app, deps, () => openApiDocument(runtimeKinds));
  refuseOtherMethods(app);
  for (const mount of mounts) addMount(app, mount, deps, { onError: answer, notFound: answerNotFound });
  return app;
}

function notFound(mount: Mount | undefined): AppError {
  return new AppError({
    code: "not_found",
    message: "Nothing exists at this address.",
    hint: mount?.notFoundHint ?? "GET /openapi.json lists all routes.",
  });
}
