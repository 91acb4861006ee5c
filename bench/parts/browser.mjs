/** A real browser that is signed in to a daemon's page. */
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/find-chromium.mjs";

export async function startBrowser({ url, headers }) {
  const executablePath = findChromium(process.env);
  if (executablePath === null)
    throw new Error("Chromium is not installed: `npm run ready` installs it, or says how to.");
  const browser = await chromium.launch({ executablePath, args: ["--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const answer = await fetch(`${url}/v1/login`, { method: "POST", headers });
  if (!answer.ok) throw new Error(`Could not get a sign-in code: ${answer.status} ${await answer.text()}`);
  const { code } = await answer.json();
  const page = await context.newPage();
  await page.goto(`${url}/login?code=${encodeURIComponent(code)}`);
  return { page, close: () => browser.close() };
}

/** Records every task that blocks the page for 50 ms or more, from the next navigation on. */
export async function noteLongTasks(page) {
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    const note = (list) => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration));
    new PerformanceObserver(note).observe({ type: "longtask" });
  });
}

/** The longest of them since the last call, in ms; 0 if there was none. */
export function longestTask(page) {
  return page.evaluate(() => Math.max(0, ...globalThis.longTasks.splice(0)));
}
