/** Signing in to the page: with the link that a start prints on a terminal, and in a real browser. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/daemon/free-port.ts";
import { served } from "../support/daemon/http-api.ts";
import { Program } from "../support/daemon/program.ts";
import type { Terminal } from "../support/daemon/terminal.ts";
import { openTerminal } from "../support/daemon/terminal.ts";
import { launchBrowser, openPage } from "../support/page/browser.ts";
import { pageBuild } from "../support/page/page-build.ts";

const link = /Open the page: (http:\/\/127\.0\.0\.1:\d+\/login\?code=([\w-]{22}))$/m;

describe("the link that a start prints", () => {
  let waybill: Program;
  beforeEach(async () => {
    // The same port after a restart, like a configured daemon.
    waybill = new Program({ PORT: String(await freePort()) });
    waybill.configure({ chat: { always: [{ steps: [{ say: "Done." }] }] } });
  });
  afterEach(() => waybill.dispose());

  function upOnTerminal(): Terminal {
    const env = { PATH: process.env.PATH ?? "", ...waybill.env };
    const terminal = openTerminal({ ...waybill.command("up"), env, cwd: waybill.work, rows: 60 });
    onTestFinished(() => terminal.close());
    return terminal;
  }

  const get = (url: string, cookie = "") => fetch(url, { redirect: "manual", headers: { cookie } });
  const cookieIn = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const lanes = async (cookie: string) => (await get(`${waybill.daemonFile.url}/v1/lanes`, cookie)).status;

  test("signs a browser in once, and the session survives a worker crash and a daemon restart", async () => {
    const first = upOnTerminal();
    const [, url = "", code = ""] = link.exec(await first.waitFor(link)) ?? [];
    expect(await first.waitFor("works once, for 10 minutes")).toContain("`npx waybill open` makes a new one");
    const signedIn = await get(url);
    const cookie = cookieIn(signedIn);
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/"]);
    expect((await get(url)).status).toBe(403);
    await expect.poll(() => lanes(cookie)).toBe(200);
    expect(readFileSync(join(waybill.home, "daemon.json"), "utf8")).not.toContain(code);

    waybill.killWorker();
    const again = await first.waitFor(new RegExp(`${code}[\\s\\S]*unexpectedly[\\s\\S]*login\\?code=[\\w-]{22}$`, "m"));
    const [, newUrl = "", newCode] = link.exec(again.slice(again.indexOf("unexpectedly"))) ?? [];
    expect(newCode).not.toBe(code);
    expect((await get(url)).status).toBe(403);
    await expect.poll(() => lanes(cookie)).toBe(200);

    first.press("ctrl-c");
    expect(await first.exited).toBe(0);
    const second = upOnTerminal();
    await second.waitFor(link);
    await expect.poll(() => waybill.daemonFile.url).not.toBeNull();
    expect(await lanes(cookie)).toBe(200);
    // It was never used, and still ended with its process.
    expect((await get(newUrl)).status).toBe(403);
    second.press("ctrl-c");
    expect(await second.exited).toBe(0);
  });

  test("is not printed if the output is not a terminal, and no code is logged", async () => {
    const daemon = await waybill.up({ WAYBILL_LOG_LEVEL: "trace" });
    const { msg } = await daemon.waitForLine({ event: "page_ready" });
    expect(msg).toBe("Open the page with `waybill open`.");
    const url = (await waybill.run(["open", "--print"])).stdout.trim();
    const code = new URL(url).searchParams.get("code") ?? "";
    const cookie = cookieIn(await get(url));
    expect([code, await lanes(cookie), (await get(url)).status]).toEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      200,
      403,
    ]);
    daemon.kill("SIGTERM");
    await daemon.outputEnd();
    const output = JSON.stringify(daemon.lines) + daemon.errors;
    expect(output).toContain("Waybill is running.");
    for (const secret of ["login?code", code, cookie.split("=")[1]]) expect(output).not.toContain(secret);
  });
});

describe("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** A page that is not signed in, and the link that signs it in. */
  async function aVisitor(token = "a-token-of-the-first-daemon") {
    const { listening, ask } = await served({ token, pageDirectory: pageBuild() });
    const asked = { method: "POST", headers: { authorization: `Bearer ${token}` } };
    const { code } = (await ask("/v1/login", asked)).json() as { code: string };
    const page = await openPage(browser);
    const violations: string[] = [];
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) violations.push(message.text());
    });
    return { page, url: listening.url, loginUrl: `${listening.url}/login?code=${code}`, violations };
  }

  const isSignedIn = (page: Page) => page.getByText("Lanes: 200").waitFor();

  test("the link opens the page, which loads its files and calls the API under its strict policy", async () => {
    const { page, url, loginUrl, violations } = await aVisitor();
    await page.goto(url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(loginUrl);
    await isSignedIn(page);
    expect(page.url()).toBe(`${url}/`);
    // From the style sheet, and from the element that a script added with the nonce.
    const style = "getComputedStyle(document.querySelector('#root'))";
    expect(await page.evaluate(`[${style}.color, ${style}.fontWeight]`)).toEqual(["rgb(1, 2, 3)", "700"]);
    expect(violations).toEqual([]);
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.goto(loginUrl);
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    await page.getByRole("link", { name: "go to the page" }).click();
    await isSignedIn(page);
  });

  test("injected scripts do not run", async () => {
    const { page, loginUrl, violations } = await aVisitor();
    await page.goto(loginUrl);
    await isSignedIn(page);
    await page.evaluate(`
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='document.title = 1'><style>p{}</style>");
      document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = 2" }));`);
    await expect.poll(() => violations.length).toBeGreaterThanOrEqual(3);
    expect(await page.title()).toBe("Waybill");
  });

  test("signing out ends the session", async () => {
    const { page, loginUrl } = await aVisitor();
    await page.goto(loginUrl);
    await isSignedIn(page);
    expect(await page.evaluate("fetch('/v1/logout', { method: 'POST' }).then(({ status }) => status)")).toBe(204);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("links from other sites open the view that they name, and the sign-in page", async () => {
    const { page, url, loginUrl } = await aVisitor();
    const elsewhere = await otherSite(
      `<a href="${loginUrl}">sign in</a> <a href="${url}/deliveries/d1">delivery</a> <a href="${url}/lanes">lanes</a>`,
    );
    await page.goto(elsewhere);
    await page.getByRole("link", { name: "delivery" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(elsewhere);
    await page.getByRole("link", { name: "sign in" }).click();
    await isSignedIn(page);
    await page.goto(elsewhere);
    await page.getByRole("link", { name: "delivery" }).click();
    await isSignedIn(page);
    expect(page.url()).toBe(`${url}/deliveries/d1`);
  });

  test("two daemons on one machine do not sign each other out", async () => {
    const [one, other] = [await aVisitor(), await aVisitor("a-token-of-the-second-daemon")];
    await one.page.goto(one.loginUrl);
    await isSignedIn(one.page);
    await one.page.goto(other.loginUrl);
    await isSignedIn(one.page);
    await one.page.goto(one.url);
    await isSignedIn(one.page);
  });
});

/** A page at another name of this machine, which a browser treats as another site. */
async function otherSite(body: string): Promise<string> {
  const server: Server = createServer((_, answer) => void answer.setHeader("content-type", "text/html").end(body));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}
