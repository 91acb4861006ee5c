/** A real headless Chromium with a new profile, which is removed when it is closed. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { onTestFinished } from "vitest";
import { findChromium } from "../../../scripts/find-chromium.mjs";

/** Bounds a hang, like the tests' own timeouts. */
const timeoutMs = 120_000;

export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env);
  if (executablePath === null)
    throw new Error("Chromium is not installed: `npm run ready` installs it, or says how to.");
  return chromium.launch({ executablePath, args: ["--disable-gpu", "--disable-quic"], timeout: timeoutMs });
}

/** A page that is closed with the test. If the test fails, the page's content is printed. */
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
