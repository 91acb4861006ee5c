/** A real Chromium without a window. Its profile is new, and is removed when it is closed. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { onTestFinished } from "vitest";
import { findChromium } from "../../scripts/find-chromium.mjs";

/** Bounds a hang, as the limits of the tests do. */
const timeoutMs = 60_000;

export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env);
  if (executablePath === null) throw new Error("There is no Chromium: `npm run ready` installs it, or says how to.");
  return chromium.launch({ executablePath, args: ["--disable-gpu", "--disable-quic"], timeout: timeoutMs });
}

/** A page that is closed with the test. Of a test that fails, it is printed what the page showed. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  onTestFinished(async ({ task }) => {
    const isFailed = task.result?.state === "fail";
    if (isFailed) console.error(`${page.url()} showed:\n${await page.locator("body").ariaSnapshot()}`);
    await context.close();
  });
  return page;
}
