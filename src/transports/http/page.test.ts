/** Serving the page: who gets it, with which policy, and with which files. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anApi, rawExchange, served } from "../../../test/support/daemon/http-api.ts";
import { pageBuild } from "../../../test/support/page/page-build.ts";

const views = [
  ...["/", "/lanes", "/lanes/demo", "/lanes/a/b", "/deliveries", "/deliveries/d1"],
  ...["/members/crew/nate", "/status", "/search?q=green"],
];
const stranger = { headers: { authorization: null } };

describe("the page", () => {
  it.each(views)("is at %s for a signed-in browser", async (path) => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toContain("The page.");
  });

  it.each(views)("is not shown at %s without a session; the response explains how to sign in", async (path) => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const answer = await ask(path, stranger);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "text/html; charset=UTF-8"]);
    expect(answer.body).toContain("waybill open");
    expect(answer.body).not.toContain("The page.");
  });

  it.each(["/lane", "/v1/page", "/index.html", "/status/x", "/asks/a1"])("is not at %s", async (path) => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, stranger)).status).toBe(401);
  });

  it("may load its own files and talk to its own origin, and nothing else", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const { headers, body } = await ask("/lanes/demo");
    const [, nonce] = /content="([\w-]{22})"/.exec(body) ?? [];
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; ` +
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
    );
    expect(body).not.toContain("__CSP_NONCE__");
  });

  it("has a new nonce each time", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const policies = await Promise.all(
      [1, 2, 3].map(async () => (await ask("/")).headers.get("content-security-policy")),
    );
    expect(new Set(policies).size).toBe(3);
  });

  it("answers HEAD like GET, and refuses all other methods", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const head = await ask("/lanes/demo", { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
    for (const path of ["/", "/lanes/demo", "/assets/index-0a1b2c3d.js", "/favicon.svg"]) {
      const changed = await ask(path, { method: "POST", json: {} });
      expect([changed.status, changed.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
  });

  it("and its files are closed to other hosts and origins", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    for (const path of ["/", "/lanes", "/assets/index-0a1b2c3d.js", "/favicon.svg"]) {
      for (const headers of [{ host: "evil.example" }, { origin: "http://evil.example" }]) {
        expect((await ask(path, { headers })).status).toBe(403);
      }
    }
  });

  it("is the current build, even one made while the daemon runs", async () => {
    const pageDirectory = pageBuild();
    const away = `${pageDirectory}-away`;
    renameSync(pageDirectory, away);
    const { ask } = anApi({ pageDirectory });
    const missing = await ask("/lanes");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([503, "text/html; charset=UTF-8"]);
    expect(missing.body).toContain("npm run ready");
    expect((await ask("/assets/index-0a1b2c3d.js")).status).toBe(404);
    expect((await ask("/v1/lanes")).status).toBe(200);
    renameSync(away, pageDirectory);
    expect((await ask("/lanes")).status).toBe(200);
    expect((await ask("/assets/index-0a1b2c3d.js")).status).toBe(200);
  });

  it("requires a session even to report that it is not built", async () => {
    const { ask } = anApi();
    expect((await ask("/", stranger)).status).toBe(401);
  });
});

describe("the page without a session", () => {
  const link = { "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" };

  it("reloads itself when the browser left out the cookie because of a link from another site", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const asked = async (headers: Record<string, string>) =>
      (await ask("/deliveries/d1", { headers: { ...stranger.headers, ...headers } })).headers.get("refresh");
    expect(await asked(link)).toBe("0");
    // The reload comes from the page itself; reloading again would never end.
    for (const site of ["same-origin", "same-site", "none"])
      expect(await asked({ ...link, "sec-fetch-site": site })).toBeNull();
    expect(await asked({ ...link, "sec-fetch-mode": "cors" })).toBeNull();
    expect(await asked({})).toBeNull();
  });

  it("runs no script and loads nothing", async () => {
    const { ask } = anApi();
    for (const path of ["/", "/login?code=wrong"]) {
      const { headers, body } = await ask(path, stranger);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri/);
      expect(body).not.toMatch(/<script|src=|url\(/);
    }
  });
});

describe("the files of the page", () => {
  it.each([
    ["index-0a1b2c3d.js", "text/javascript; charset=utf-8"],
    ["index-0a1b2c3d.css", "text/css; charset=utf-8"],
    ["index-0a1b2c3d.js.map", "application/json"],
    ["icons-9f8e7d6c.svg", "image/svg+xml; charset=utf-8"],
    ["text-1a2b3c4d.woff2", "font/woff2"],
    ["words-5e6f7a8b.unknown", "application/octet-stream"],
  ])("%s is served as %s, cached for good, and only for pages of this origin", async (name, type) => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const { status, headers } = await ask(`/assets/${name}`, stranger);
    expect([status, headers.get("content-type")]).toEqual([200, type]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it("include an icon, which may change", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const { status, headers } = await ask("/favicon.svg", stranger);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "image/svg+xml; charset=utf-8",
      "no-store",
    ]);
    expect((await ask("/favicon.ico")).status).toBe(404);
  });

  it("that do not exist are treated like any other address", async () => {
    const { ask } = anApi({ pageDirectory: pageBuild() });
    const path = "/assets/index-ffffffff.js";
    const [mine, strangers] = [await ask(path), await ask(path, stranger)];
    expect([mine.status, strangers.status]).toEqual([404, 401]);
    expect(mine.headers.get("cache-control")).toBe("no-store");
  });

  it("come only from the build: no path reaches outside it, a hidden file, a link or a directory", async () => {
    const pageDirectory = pageBuild();
    const assets = join(pageDirectory, "assets");
    writeFileSync(join(pageDirectory, "secret.txt"), "secret");
    writeFileSync(join(assets, ".hidden"), "secret");
    symlinkSync(join(pageDirectory, "secret.txt"), join(assets, "link.txt"));
    symlinkSync(pageDirectory, join(assets, "out"));
    mkdirSync(join(assets, "inner"));
    writeFileSync(join(assets, "inner", "file.txt"), "secret");
    const { listening } = await served({ pageDirectory });
    const statusOf = async (path: string) => {
      const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\nConnection: close\r\n\r\n`;
      return /^HTTP\/1\.1 (\d+)/.exec(await rawExchange(listening, [head]))?.[1];
    };
    expect(await statusOf("/assets/index-0a1b2c3d.css")).toBe("200");
    for (const path of pathsToNowhere) expect([path, await statusOf(path)]).toEqual([path, "401"]);
  });

  it("are read on request: a file that was deleted since is not found", async () => {
    const pageDirectory = pageBuild();
    const { ask, errors } = anApi({ pageDirectory });
    expect((await ask("/assets/index-0a1b2c3d.css", stranger)).status).toBe(200);
    rmSync(join(pageDirectory, "assets"), { recursive: true });
    expect((await ask("/assets/index-0a1b2c3d.css", stranger)).status).toBe(401);
    expect(errors).toEqual([]);
  });
});

const pathsToNowhere = [
  ...["/assets/../secret.txt", "/assets/%2e%2e/secret.txt", "/assets/..%2fsecret.txt", "/assets/%2e%2e%2fsecret.txt"],
  ...["/assets/..%5csecret.txt", "/assets/%252e%252e%252fsecret.txt", "/assets/....//secret.txt", "/secret.txt"],
  ...["/assets/..%c0%afsecret.txt", "/assets//secret.txt", "/assets/out/secret.txt", "/favicon.svg/..%2fsecret.txt"],
  ...["/assets/.hidden", "/assets/%2ehidden", "/assets/link.txt", "/assets/inner", "/assets/inner/file.txt"],
  ...["/assets/inner%2ffile.txt", "/assets/", "/assets", "/assets/.", "/assets/..", "/assets/link.txt%00.css"],
  ...["/assets/__proto__", "/assets/constructor"],
];
