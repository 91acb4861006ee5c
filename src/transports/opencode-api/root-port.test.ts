import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { anApiOn, rawExchange, served, token } from "../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../test/support/daemon/service-of.ts";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import type { AppOptions } from "../http/app.ts";
import { listen } from "../http/serve.ts";
import { openCodePath } from "./opencode-path.ts";

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
const server = { basePath: openCodePath };

async function atRoot(options: Pick<AppOptions, "allowedOrigins"> = {}) {
  const { listening, errors } = await served({ ...options, server });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${listening.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const raw = (line: string, ...headers: string[]) =>
    rawExchange(listening, [[`${line} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n")]);
  return { listening, errors, ask, raw, host: `127.0.0.1:${listening.port}` };
}

describe("the API at the root of a port of its own", () => {
  it.each([`Bearer ${token}`, basic(`opencode:${token}`)])("accepts %s", async (authorization) => {
    const { ask } = await atRoot();
    const answer = await ask("/global/health?directory=/tmp", { headers: { authorization } });
    expect([answer.status, await answer.json()]).toEqual([200, { healthy: true, version: "0.0.0" }]);
  });

  it.each(["anybody", "", "OpenCode", "opencode:more"])("tells the user %j to use another name", async (user) => {
    const { ask } = await atRoot();
    const answer = await ask("/session", { headers: { authorization: basic(`${user}:${token}`) } });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, expect.stringMatching(/^Basic /)]);
    expect(await answer.json()).toMatchObject({ data: { message: expect.stringContaining("`opencode`") } });
  });

  it.each([basic("opencode:wrong"), "Bearer wrong", ""])(
    "refuses %j and asks for a password",
    async (authorization) => {
      const { ask } = await atRoot();
      const answer = await ask("/session", { headers: { authorization } });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, expect.stringMatching(/^Basic /)]);
    },
  );

  it("accepts only its own host name and port, and no foreign origins", async () => {
    const { ask, raw, host } = await atRoot();
    expect(await raw("GET /global/health", "Host: evil.example")).toContain("host_not_allowed");
    expect(await raw("GET /global/health", "Host: 127.0.0.1:1")).toContain("host_not_allowed");
    expect((await ask("/global/health", { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await ask("/global/health", { headers: { origin: `http://${host}` } })).status).toBe(200);
  });

  it.each(["/v1/lanes", "/../v1/lanes", "/%2e%2e/v1/lanes", "//v1/lanes", "/opencode/session", "/metrics", "/"])(
    "serves nothing else of the daemon at %s",
    async (path) => {
      const { raw, host } = await atRoot();
      const answer = await raw(`GET ${path}`, `Host: ${host}`, `Authorization: Bearer ${token}`);
      expect(answer).toMatch(/^HTTP\/1\.1 404/);
      expect(answer).toContain('"name":"NotFoundError"');
    },
  );

  it("accepts an absolute URL in the request line, and uses the newer error format under /api", async () => {
    const { ask, raw, host } = await atRoot();
    const whole = await raw(
      `GET http://${host}/global/health?a=b`,
      `Host: ${host}`,
      `Authorization: ${basic(`opencode:${token}`)}`,
    );
    expect(whole).toMatch(/^HTTP\/1\.1 200[\s\S]*"healthy":true/);
    expect(await (await ask("/api/nothing")).json()).toMatchObject({ _tag: "NotFoundError" });
  });
});

describe("pages of other origins", () => {
  const allowedOrigins = ["http://127.0.0.1:4096", "tauri://localhost"];
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
  const corsOf = ({ headers }: Response) => headers.get("access-control-allow-origin");

  it.each(allowedOrigins)("are answered when they are allowed, even before they log in: %s", async (origin) => {
    const { listening } = await atRoot({ allowedOrigins });
    const url = `${listening.url}/session`;
    const asked = await fetch(url, { method: "OPTIONS", headers: { origin, ...preflight } });
    expect([asked.status, corsOf(asked)]).toEqual([204, origin]);
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization");
    expect(asked.headers.get("access-control-allow-methods")).toContain("PATCH");
    const refused = await fetch(url, { headers: { origin } });
    expect([refused.status, corsOf(refused)]).toEqual([401, origin]);
    const opened = await fetch(url, { headers: { origin, authorization: basic(`opencode:${token}`) } });
    expect([opened.status, corsOf(opened), opened.headers.get("vary")]).toEqual([200, origin, "Origin"]);
    expect(opened.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("get nothing when they are not allowed", async () => {
    const { listening } = await atRoot({ allowedOrigins });
    const origin = "http://127.0.0.1:4097";
    const asked = await fetch(`${listening.url}/session`, { method: "OPTIONS", headers: { origin, ...preflight } });
    expect([asked.status, corsOf(asked)]).toEqual([403, null]);
  });

  it("need the token for an OPTIONS request that is not a preflight", async () => {
    const { listening } = await atRoot({ allowedOrigins });
    const [origin = ""] = allowedOrigins;
    expect((await fetch(`${listening.url}/session`, { method: "OPTIONS", headers: { origin } })).status).toBe(401);
  });
});

it("a client that never reads its stream delays neither the other clients nor the shutdown", async () => {
  const text = "x".repeat(100_000);
  const world = await startWorld({ script: { always: [{ steps: [{ say: text }] }] } });
  const { app, errors } = anApiOn(serviceOf(world.waybill), { clock: world.clock });
  const listening = await listen({ app, port: 0, ...server, closeMs: 200 });
  onTestFinished(() => listening.close());
  const socket = connect(listening.port, "127.0.0.1").pause();
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET /event HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\nAuthorization: ${basic(`opencode:${token}`)}\r\n\r\n`,
  );
  const reading = await fetch(`${listening.url}/event`, { headers: { authorization: `Bearer ${token}` } });
  const reader = reading.body?.pipeThrough(new TextDecoderStream()).getReader();
  let idles = 0;
  const heard = (async () => {
    while (idles < 40) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return;
      idles += value?.match(/"type":"session\.idle"/g)?.length ?? 0;
    }
  })();
  for (let turn = 1; turn <= 40; turn++) {
    await world.send({ id: `m${turn}` });
    await world.reaches(`m${turn}`, "responded");
  }
  await heard;
  expect(idles).toBe(40);
  await listening.close();
  expect(errors).toEqual([]);
});
