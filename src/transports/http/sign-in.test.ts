/** How a browser signs in, stays signed in and signs out. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import type { Api, Asked } from "../../../test/support/daemon/http-api.ts";
import { anApi, port, served, token } from "../../../test/support/daemon/http-api.ts";
import { pageBuild } from "../../../test/support/page/page-build.ts";
import { listen } from "./serve.ts";

const own = `http://127.0.0.1:${port}`;
const dayMs = 24 * 60 * 60_000;
const errorCode = (answer: { json: () => unknown }) => (answer.json() as { error: { code: string } }).error.code;

async function aBrowser(options: Parameters<typeof anApi>[0] = {}) {
  const clock = new ManualClock();
  const api = anApi({ clock, ...options });
  const { code } = (await api.ask("/v1/login", { method: "POST" })).json() as { code: string };
  const login = () => api.ask(`/login?code=${code}`, { headers: { authorization: null } });
  const signIn = async () => (await login()).headers.get("set-cookie")?.split(";")[0] ?? "";
  return { ...api, clock, code, login, signIn };
}

/** Authenticated only by this cookie. */
const by = (cookie: string, asked: Asked = {}): Asked => ({
  ...asked,
  headers: { authorization: null, cookie, ...asked.headers },
});
const statusOf = async ({ ask }: Pick<Api, "ask">, cookie: string) => (await ask("/v1/lanes", by(cookie))).status;

describe("signing in", () => {
  it("gives a cookie for a one-time code, and never reveals the token", async () => {
    const { ask, login } = await aBrowser({ pageDirectory: pageBuild() });
    const answer = await login();
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^waybill_session_7777=v1\.[\w.-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    const asked = by(cookie.split(";")[0] ?? "");
    expect((await ask("/v1/lanes", asked)).status).toBe(200);
    expect((await ask("/", asked)).status).toBe(200);
  });

  it("fails with a used code", async () => {
    const { login } = await aBrowser();
    await login();
    const again = await login();
    expect([again.status, again.headers.get("set-cookie")]).toEqual([403, null]);
    expect(again.body).toContain("waybill open");
    expect(again.body).toContain('<a href="/">');
  });

  it("fails with a code that is ten minutes old", async () => {
    const { login, clock } = await aBrowser();
    await clock.advance(600_000);
    expect((await login()).status).toBe(403);
  });

  it.each(["/login", "/login?code=", "/login?code=wrong", "/login?code=a&code=b"])("fails for %s", async (path) => {
    const { ask } = await aBrowser();
    const answer = await ask(path, { headers: { authorization: null } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/html; charset=UTF-8"]);
  });

  it("does not use up a code on HEAD", async () => {
    const { ask, code, login } = await aBrowser();
    await ask(`/login?code=${code}`, { method: "HEAD" });
    expect((await login()).status).toBe(303);
  });

  it("leaves no trace of the code in metrics and errors", async () => {
    const { ask, code, errors, login } = await aBrowser();
    await login();
    await login();
    await ask(`/login?code=${code}`, { method: "POST" });
    const { body } = await ask("/metrics");
    expect(body).toContain('route="/login"');
    expect(body).not.toContain(code);
    expect(errors).toEqual([]);
  });
});

describe("a session", () => {
  it("needs an allowed origin for requests that change something", async () => {
    const { ask, service, signIn } = await aBrowser();
    const cookie = await signIn();
    const refused = await ask("/v1/restart", by(cookie, { method: "POST" }));
    expect([refused.status, errorCode(refused), service.restarts]).toEqual([403, "origin_not_allowed", 0]);
    const taken = await ask("/v1/restart", by(cookie, { method: "POST", headers: { origin: own } }));
    expect([taken.status, service.restarts]).toEqual([202, 1]);
  });

  it("does not make up for a wrong token", async () => {
    const { ask, signIn } = await aBrowser();
    const headers = { authorization: "Bearer wrong", cookie: await signIn() };
    expect((await ask("/v1/lanes", { headers })).status).toBe(401);
  });

  it("does not start from a forged cookie", async () => {
    const api = await aBrowser();
    const cookie = await api.signIn();
    const forged = ["waybill_session_7777=forged", `${cookie}x`, cookie.replace("v1.", "v1.9")];
    for (const one of forged) expect(await statusOf(api, one)).toBe(401);
    expect(await statusOf(api, cookie)).toBe(200);
  });

  it("ends after seven days", async () => {
    const api = await aBrowser();
    const cookie = await api.signIn();
    await api.clock.advance(7 * dayMs);
    expect(await statusOf(api, cookie)).toBe(401);
  });

  it("survives a restart of the daemon", async () => {
    const { signIn, clock } = await aBrowser();
    const cookie = await signIn();
    expect(await statusOf(anApi({ clock }), cookie)).toBe(200);
  });

  it("ends when the token changes", async () => {
    const { signIn, clock } = await aBrowser();
    const cookie = await signIn();
    expect(await statusOf(anApi({ clock, token: "another-token-that-only-tests-know" }), cookie)).toBe(401);
  });

  it("is found among other daemons' cookies, and only under the name with its own port", async () => {
    const api = await aBrowser();
    const cookie = await api.signIn();
    const other = await aBrowser({ token: "another-token-that-only-tests-know" });
    // Both daemons use the same port here, which could not happen on one machine.
    const foreign = (await other.signIn()).replace("_7777=", "_7778=");
    expect(await statusOf(api, `${foreign}; ${cookie}; waybill_session=x`)).toBe(200);
    expect(await statusOf(api, foreign)).toBe(401);
    expect(await statusOf(api, cookie.replace("_7777=", "_7778="))).toBe(401);
    expect(await statusOf(api, cookie.replace("_7777=", "="))).toBe(401);
  });

  it("is bound to the port that the request came in on", async () => {
    const { app, listening } = await served();
    const second = await listen({ port: 0, app });
    onTestFinished(() => second.close());
    const post = { method: "POST", headers: { authorization: `Bearer ${token}` } };
    const { code } = (await (await fetch(`${listening.url}/v1/login`, post)).json()) as { code: string };
    const answer = await fetch(`${listening.url}/login?code=${code}`, { redirect: "manual" });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(cookie).toContain(`waybill_session_${listening.port}=`);
    expect((await fetch(`${listening.url}/v1/lanes`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${second.url}/v1/lanes`, { headers: { cookie } })).status).toBe(401);
  });
});

describe("opening the page", () => {
  const renewedBy = async ({ ask }: Pick<Api, "ask">, cookie: string) =>
    (await ask("/lanes", by(cookie))).headers.get("set-cookie")?.split(";")[0] ?? null;

  it("renews a session that is more than a day old", async () => {
    const api = await aBrowser({ pageDirectory: pageBuild() });
    const cookie = await api.signIn();
    await api.clock.advance(dayMs);
    expect(await renewedBy(api, cookie)).toBeNull();
    await api.clock.advance(1);
    const renewed = await renewedBy(api, cookie);
    await api.clock.advance(6 * dayMs);
    expect(await statusOf(api, cookie)).toBe(401);
    expect(await statusOf(api, renewed ?? "")).toBe(200);
  });

  it("does not revive a session that has ended, and starts none for a token", async () => {
    const api = await aBrowser({ pageDirectory: pageBuild() });
    const cookie = await api.signIn();
    await api.clock.advance(7 * dayMs);
    expect(await renewedBy(api, cookie)).toBeNull();
    expect((await api.ask("/lanes", { headers: { cookie } })).headers.get("set-cookie")).toBeNull();
  });

  it("is the only way to renew a session: leaving the page open does not", async () => {
    const api = await aBrowser();
    const cookie = await api.signIn();
    await api.clock.advance(3 * dayMs);
    expect((await api.ask("/v1/lanes", by(cookie))).headers.get("set-cookie")).toBeNull();
  });
});

describe("signing out", () => {
  it("deletes the browser's cookie", async () => {
    const { ask, signIn } = await aBrowser();
    const answer = await ask("/v1/logout", by(await signIn(), { method: "POST", headers: { origin: own } }));
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(answer.headers.get("set-cookie")).toMatch(/^waybill_session_7777=; Max-Age=0; Path=\/; HttpOnly/);
  });

  it("is refused for a page of another origin", async () => {
    const { ask, signIn } = await aBrowser();
    const cookie = await signIn();
    for (const origin of [null, "http://evil.example"]) {
      const answer = await ask("/v1/logout", by(cookie, { method: "POST", headers: { origin } }));
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    }
  });
});
