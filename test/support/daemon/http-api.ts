/** The API on a service in which nothing happens: called directly, or over real sockets if those matter. */
import { connect } from "node:net";
import { Registry } from "prom-client";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/platform/clock.ts";
import type { DoctorReport } from "../../../src/platform/doctor-check.ts";
import { runtimeKinds } from "../../../src/runtimes/registry.ts";
import type { Service } from "../../../src/service/service.ts";
import type { AppOptions } from "../../../src/transports/http/app.ts";
import { makeApp } from "../../../src/transports/http/app.ts";
import type { App } from "../../../src/transports/http/env.ts";
import { makeMetrics } from "../../../src/transports/http/metrics.ts";
import { makeBrowserSessions } from "../../../src/transports/http/page/browser-sessions.ts";
import { makeLoginCodes } from "../../../src/transports/http/page/login-codes.ts";
import { makePageFiles } from "../../../src/transports/http/page/page-files.ts";
import type { RouteDeps } from "../../../src/transports/http/routes/route-deps.ts";
import type { Listening, ListenOptions } from "../../../src/transports/http/serve.ts";
import { listen } from "../../../src/transports/http/serve.ts";
import { openCodeMount } from "../../../src/transports/opencode-api/opencode-mount.ts";
import type { TestService } from "./test-service.ts";
import { testService } from "./test-service.ts";

export const token = "a-token-that-only-tests-know";
export const port = 7777;
/** For an API whose page is not built. */
const noPage = "/nowhere/page";
export const about = { version: "0.0.0", runId: "run", startedAt: 0, demo: false };

/** From a doctor with nothing to check. */
export const allIsWell = async (): Promise<DoctorReport> => ({ checks: [] });

/** `json` is sent as a body; a header that is null is left out. */
export type Asked = Omit<RequestInit, "headers"> & { json?: unknown; headers?: Record<string, string | null> };
export type Answered = { status: number; headers: Headers; body: string; json: () => unknown };

export type Api<D extends Service = TestService> = {
  app: App;
  service: D;
  errors: unknown[];
  ask(path: string, asked?: Asked): Promise<Answered>;
};

export function anApi(options: Partial<AppOptions> & { service?: TestService; closing?: AbortSignal } = {}): Api {
  return anApiOn(options.service ?? testService(), options);
}

export function anApiOn<D extends Service>(
  service: D,
  options: Partial<AppOptions> & { closing?: AbortSignal } = {},
): Api<D> {
  const { closing = new AbortController().signal } = options;
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const given = { token, about, runtimeKinds, doctor: allIsWell, pageDirectory: noPage };
  const app = makeApp({ ...given, mounts: [openCodeMount], onError, ...options, service });
  const ask: Api<D>["ask"] = async (path, asked) => {
    const afterwards: (() => void)[] = [];
    const afterAnswer = (run: () => void) => void afterwards.push(run);
    const env = { port, closing, afterAnswer, cutOff: () => {} };
    const answer = await app.request(path, requestOf(asked ?? {}, `127.0.0.1:${port}`), env);
    const body = await answer.text();
    for (const run of afterwards) run();
    return { status: answer.status, headers: answer.headers, body, json: () => JSON.parse(body) };
  };
  return { app, service, errors, ask };
}

/** What routes are built from, for tests of single routes. */
export function routeDeps(service: Service): RouteDeps {
  const metrics = makeMetrics(new Registry(), service);
  const sessions = makeBrowserSessions(token, systemClock);
  const browsers = { sessions, loginCodes: makeLoginCodes(systemClock), page: makePageFiles(noPage) };
  const nothing = () => {};
  const rest = { heartbeatMs: 15_000, onClientLog: nothing, report: nothing, doctor: allIsWell };
  return { service, clock: systemClock, ...browsers, metrics, about, runtimeKinds, ...rest };
}

function requestOf({ json, headers = {}, ...init }: Asked, host: string): RequestInit {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type = json === undefined ? {} : { "content-type": "application/json" };
  const all = { host, authorization: `Bearer ${token}`, ...type, ...headers };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...init, ...body, headers: Object.fromEntries(kept) };
}

/** Listens on a free port until the test ends. */
export async function served(
  options: Partial<AppOptions> & { service?: TestService; server?: Partial<ListenOptions> } = {},
): Promise<Api & { listening: Listening }> {
  const { server, ...appOptions } = options;
  const api = anApi(appOptions);
  // Followers get what happens from now on, not the events of the service's setup.
  await api.service.ready();
  const listening = await listen({ port: 0, ...server, app: api.app });
  onTestFinished(() => listening.close());
  return { ...api, listening };
}

/** Sends these bytes, and reads until the server closes the connection or the response contains `until`. */
export async function rawExchange(
  { port }: Listening,
  parts: readonly (string | Uint8Array)[],
  until?: string | RegExp,
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const decoder = new TextDecoder();
  let received = "";
  return new Promise((resolve, reject) => {
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on("error", (error) => (received === "" ? reject(error) : finish()));
    socket.on("close", finish);
    socket.on("data", (chunk) => {
      received += decoder.decode(chunk, { stream: true });
      if (until !== undefined && received.search(until) >= 0) finish();
    });
    socket.on("connect", () => {
      for (const part of parts) socket.write(part);
    });
  });
}
