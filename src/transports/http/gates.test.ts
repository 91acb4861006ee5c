import { describe, expect, it } from "vitest";
import type { Asked } from "../../../test/support/daemon/http-api.ts";
import { anApi, port, token } from "../../../test/support/daemon/http-api.ts";
import { needsToken, operations, somePath } from "../../../test/support/rules/openapi-operations.ts";
import { hostAllowed, originAllowed } from "./gates.ts";

const every = operations.map((one) => [`${one.method} ${one.path}`, one] as const);
const own = `http://127.0.0.1:${port}`;
const errorCode = (answer: { json: () => unknown }) => (answer.json() as { error: { code: string } }).error.code;

describe("the token", () => {
  it.each(every.filter(([, one]) => needsToken(one)))("%s refuses a missing or wrong token", async (_, one) => {
    const { ask } = anApi();
    for (const authorization of [null, "Bearer wrong", `Basic ${token}`, `Bearer ${token}x`, "Bearer "]) {
      const answer = await ask(somePath(one), { method: one.method, headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.body).not.toContain(token);
    }
  });

  it("is checked before a response reveals anything about a path", async () => {
    const { ask } = anApi();
    const headers = { authorization: null };
    for (const path of ["/nothing", "/health/", "/v1", "/v1/messages/../../health/x"]) {
      expect((await ask(path, { headers })).status).toBe(401);
    }
    expect((await ask("/health", { method: "POST", headers })).status).toBe(401);
  });

  it("is accepted with any capitalisation of the scheme", async () => {
    const { ask } = anApi();
    expect((await ask("/version", { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
  });
});

describe("the host and the origin", () => {
  it.each(every)("%s refuses a foreign host or origin, with or without a token", async (_, one) => {
    const { ask } = anApi();
    const refusals: [Asked["headers"], string][] = [
      [{ host: "evil.example" }, "host_not_allowed"],
      [{ host: `evil.example:${port}` }, "host_not_allowed"],
      [{ host: "127.0.0.1:1" }, "host_not_allowed"],
      [{ host: null }, "host_not_allowed"],
      [{ origin: "null" }, "origin_not_allowed"],
      [{ origin: "http://evil.example" }, "origin_not_allowed"],
      [{ origin: "http://127.0.0.1:1" }, "origin_not_allowed"],
    ];
    for (const [headers, code] of refusals) {
      const answer = await ask(somePath(one), { method: one.method, headers: headers ?? {} });
      expect([answer.status, errorCode(answer)]).toEqual([403, code]);
    }
  });

  it("may be any loopback name with the port that the server listens on", async () => {
    const { ask } = anApi();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await ask("/version", { headers })).status).toBe(200);
    }
  });

  it("may be configured", async () => {
    const { ask } = anApi({ allowedHosts: ["box.example"], allowedOrigins: ["https://service.example"] });
    for (const headers of [
      { host: "box.example" },
      { host: "box.example:8443" },
      { origin: "https://service.example" },
    ]) {
      expect((await ask("/version", { headers })).status).toBe(200);
    }
    expect((await ask("/version", { headers: { origin: "http://service.example" } })).status).toBe(403);
  });

  it("are compared literally", () => {
    const names = { hosts: ["box:1234"], origins: [] };
    const hosts = [
      "127.1:80",
      "2130706433:80",
      "localhost.:80",
      "localhost:80:80",
      "127.0.0.1:80@evil",
      "box",
      "box:12345",
      "",
    ];
    expect(hosts.filter((host) => hostAllowed(host, 80, names))).toEqual([]);
    expect(["localhost", "localhost:80", "box:1234"].filter((host) => !hostAllowed(host, 80, names))).toEqual([]);
    const origins = [
      "",
      "localhost",
      "file://localhost",
      "http://evil@localhost",
      "http://localhost/",
      "http://localhost#x",
    ];
    expect(origins.filter((origin) => originAllowed(origin, 80, names))).toEqual([]);
  });

  it("no response can be read by other origins", async () => {
    const { ask } = anApi();
    const answer = await ask("/version", { headers: { origin: own } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflight = await ask("/v1/messages", { method: "OPTIONS", headers: { origin: own, authorization: null } });
    expect(preflight.status).toBe(401);
  });
});

describe("every response", () => {
  it.each(["/health", "/version", "/nothing", "/", "/login?code=wrong"])(
    "%s is never cached, sniffed, framed or leaked in a referrer",
    async (path) => {
      const { ask } = anApi();
      const { headers } = await ask(path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    },
  );
});
