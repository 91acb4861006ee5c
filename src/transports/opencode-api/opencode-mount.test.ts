import { describe, expect, it } from "vitest";
import { anApi, token } from "../../../test/support/daemon/http-api.ts";

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("authentication of OpenCode's clients", () => {
  it("accepts OpenCode's user with the token as the password", async () => {
    const authorization = basic(`opencode:${token}`);
    const answer = await anApi().ask("/opencode/global/health", { headers: { authorization } });
    expect([answer.status, answer.json()]).toEqual([200, { healthy: true, version: "0.0.0" }]);
  });

  it("accepts the token itself, as everywhere", async () => {
    expect((await anApi().ask("/opencode/global/health")).status).toBe(200);
  });

  const strangers = [basic("opencode:wrong"), basic(`anybody:${token}`), basic(`:${token}`), basic(`${token}:`)];
  it.each([null, ...strangers, basic(token), "Basic !", `Basic ${token}`])(
    "refuses %s, and asks for a password",
    async (authorization) => {
      const answer = await anApi().ask("/opencode/global/health", { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
      expect(answer.json()).toMatchObject({ name: "UnauthorizedError", data: { code: "unauthorized" } });
    },
  );

  it("accepts passwords nowhere else", async () => {
    for (const path of ["/v1/lanes", "/opencodes", "/v1/../opencode2"]) {
      const answer = await anApi().ask(path, { headers: { authorization: basic(`opencode:${token}`) } });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  it("refuses requests with other host names or origins", async () => {
    const { ask } = anApi();
    const health = (headers: Record<string, string>) => ask("/opencode/global/health", { headers });
    expect((await health({ host: "evil.example:7777" })).json()).toMatchObject({ data: { code: "host_not_allowed" } });
    expect((await health({ origin: "https://evil.example" })).status).toBe(403);
  });
});

describe("errors for OpenCode's clients", () => {
  it("have OpenCode's format, with the code and the hint inside", async () => {
    const answer = await anApi().ask("/opencode/nothing/here");
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual({
      name: "NotFoundError",
      data: { message: expect.stringMatching(/^Nothing exists.*opencode-api/), code: "not_found" },
    });
  });

  it("have the newer format under /api", async () => {
    const answer = await anApi().ask("/opencode/api/nothing");
    expect(answer.json()).toEqual({ _tag: "NotFoundError", message: expect.any(String), code: "not_found" });
  });

  it("list the methods that a path supports", async () => {
    const answer = await anApi().ask("/opencode/global/health", { method: "PUT" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(answer.json()).toMatchObject({ name: "UnknownError", data: { code: "method_not_allowed" } });
  });

  it.each([
    [413, "too_large", { headers: { "content-length": `${3 * 1024 * 1024}` }, json: {} }],
    [415, "unsupported_media_type", { body: "x=1" }],
  ])("have the same format for refused bodies: %s", async (status, code, asked) => {
    const answer = await anApi().ask("/opencode/global/health", { method: "POST", ...asked });
    expect([answer.status, answer.json()]).toMatchObject([status, { name: "UnknownError", data: { code } }]);
  });

  it("ignore the declared type of an empty body", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await anApi().ask("/opencode/global/health", { method: "POST", headers })).status).toBe(405);
  });

  it("are counted under the route's pattern", async () => {
    const { ask } = anApi();
    await ask("/opencode/global/health");
    await ask("/opencode/some/secret");
    const { body } = await ask("/metrics");
    expect(body).toMatch(
      /waybill_http_requests_total\{method="GET",route="\/opencode\/global\/health",status="200"\} 1/,
    );
    expect(body).toMatch(/route="unmatched",status="404"/);
    expect(body).not.toContain("secret");
  });
});
