import { describe, expect, it } from "vitest";
import type { Asked } from "../../../test/support/http-api.ts";
import { anApi, port, token } from "../../../test/support/http-api.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { needsToken, operations, somePath } from "../../../test/support/openapi-operations.ts";
import { hostAllowed, originAllowed } from "./gates.ts";

const every = operations.map((one) => [`${one.method} ${one.path}`, one] as const);
const own = `http://127.0.0.1:${port}`;
const errorCode = (answer: { json: () => unknown }) => (answer.json() as { error: { code: string } }).error.code;

describe("the token", () => {
  it.each(every.filter(([, one]) => needsToken(one)))("%s refuses whoever has none, or a wrong one", async (_, one) => {
    const { ask } = anApi();
    for (const authorization of [null, "Bearer wrong", `Basic ${token}`, `Bearer ${token}x`, "Bearer "]) {
      const answer = await ask(somePath(one), { method: one.method, headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.body).not.toContain(token);
    }
  });

  it("is asked for before anything else is said about a path", async () => {
    const { ask } = anApi();
    const headers = { authorization: null };
    for (const path of ["/nothing", "/health/", "/v1", "/v1/messages/../../health/x"]) {
      expect((await ask(path, { headers })).status).toBe(401);
    }
    expect((await ask("/health", { method: "POST", headers })).status).toBe(401);
  });

  it("is taken in any case of the scheme's name", async () => {
    const { ask } = anApi();
    expect((await ask("/version", { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
  });
});

describe("the host and the origin", () => {
  it.each(every)("%s refuses a foreign host and a foreign origin, token or not", async (_, one) => {
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

  it("may be any name of this machine's loopback, with the port that is listened on", async () => {
    const { ask } = anApi();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await ask("/version", { headers })).status).toBe(200);
    }
  });

  it("may be those that were configured", async () => {
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

  it("are compared as they were sent", () => {
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

  it("no answer lets other origins read it", async () => {
    const { ask } = anApi();
    const answer = await ask("/version", { headers: { origin: own } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflight = await ask("/v1/messages", { method: "OPTIONS", headers: { origin: own, authorization: null } });
    expect(preflight.status).toBe(401);
  });
});

describe("every answer", () => {
  it.each(["/health", "/version", "/nothing", "/", "/login?code=wrong"])(
    "%s is not cached, guessed, framed or told",
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

describe("a browser", () => {
  async function aBrowser() {
    const clock = new ManualClock();
    const api = anApi({ clock });
    const { code } = (await api.ask("/v1/login", { method: "POST" })).json() as { code: string };
    const login = () => api.ask(`/login?code=${code}`, { headers: { authorization: null } });
    return { ...api, clock, code, login };
  }

  it("gets a cookie for a one-time code, and never sees the token", async () => {
    const { ask, login } = await aBrowser();
    const answer = await login();
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^waybill_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    const headers = { authorization: null, cookie: cookie.split(";")[0] ?? "" };
    expect((await ask("/v1/lanes", { headers })).status).toBe(200);
    expect((await ask("/", { headers })).status).toBe(200);
  });

  it("gets nothing for a code that was used", async () => {
    const { login } = await aBrowser();
    await login();
    const again = await login();
    expect([again.status, again.headers.get("set-cookie")]).toEqual([403, null]);
    expect(again.body).toContain("waybill open");
  });

  it("gets nothing for a code that is a minute old", async () => {
    const { login, clock } = await aBrowser();
    await clock.advance(60_000);
    expect((await login()).status).toBe(403);
  });

  it.each(["/login", "/login?code=", "/login?code=wrong", "/login?code=a&code=b"])(
    "gets nothing for %s",
    async (path) => {
      const { ask } = await aBrowser();
      const answer = await ask(path, { headers: { authorization: null } });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/html; charset=UTF-8"]);
    },
  );

  it("does not use up a code by looking ahead", async () => {
    const { ask, code, login } = await aBrowser();
    await ask(`/login?code=${code}`, { method: "HEAD" });
    expect((await login()).status).toBe(303);
  });

  it("has to say where it comes from when it changes something", async () => {
    const { ask, service, login } = await aBrowser();
    const cookie = (await login()).headers.get("set-cookie")?.split(";")[0] ?? "";
    const headers = { authorization: null, cookie };
    const refused = await ask("/v1/restart", { method: "POST", headers });
    expect([refused.status, errorCode(refused), service.restarts]).toEqual([403, "origin_not_allowed", 0]);
    const taken = await ask("/v1/restart", { method: "POST", headers: { ...headers, origin: own } });
    expect([taken.status, service.restarts]).toEqual([202, 1]);
  });

  it("is not let in by a cookie that nobody gave out, or beside a wrong token", async () => {
    const { ask, login } = await aBrowser();
    const cookie = (await login()).headers.get("set-cookie")?.split(";")[0] ?? "";
    const forged = { authorization: null, cookie: "waybill_session=forged" };
    expect((await ask("/v1/lanes", { headers: forged })).status).toBe(401);
    expect((await ask("/v1/lanes", { headers: { authorization: "Bearer wrong", cookie } })).status).toBe(401);
  });
});

describe("the front page", () => {
  it("says how to get in to whoever may not", async () => {
    const { ask } = anApi();
    const answer = await ask("/", { headers: { authorization: null } });
    expect(answer.status).toBe(401);
    expect(answer.body).toContain("waybill open");
    expect(answer.body).not.toContain("demo");
  });

  it("shows lanes, and shows them as text", async () => {
    const { ask, service } = anApi();
    await service.putLane({ ...(await service.lane("demo")).lane, displayName: '<script>alert("x")</script>' });
    await service.pause("demo", "<b>lunch</b>");
    service.notices = [{ code: "events_unusable", message: "No <i>events</i> come." }];
    const { body } = await ask("/");
    expect(body).toContain("&lt;script&gt;");
    expect(body).toContain("paused: &lt;b&gt;lunch");
    expect(body).toContain("No &lt;i&gt;events");
    expect(body).not.toContain("<script");
  });
});
