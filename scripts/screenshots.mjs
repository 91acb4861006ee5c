/**
 * Takes screenshots of every view of the page, light, dark and narrow:
 *
 *   npm run screenshots
 *
 * The demo runs in its own home with some sample messages. All screenshots go to reports/screenshots; the few that the
 * documents show are also written to docs/images.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { WaybillClient } from "../dist/client/index.js";
import { findChromium } from "./find-chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const all = join(root, "reports", "screenshots");
const images = join(root, "docs", "images");
/** The screenshots in the documents, by view and mode. */
const documented = ["conversation-light", "delivery-light", "asks-narrow"];
const looks = {
  light: { colorScheme: "light", viewport: { width: 1200, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 800 } },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
  "narrow-dark": { colorScheme: "dark", viewport: { width: 390, height: 780 } },
};

const home = mkdtempSync(join(tmpdir(), "waybill-screenshots-"));
const daemon = await startDemo();
try {
  const deliveries = await play(daemon.client);
  await takeAll(daemon, deliveries);
} finally {
  await daemon.stop();
  rmSync(home, { recursive: true, force: true });
}

async function startDemo() {
  const { PATH } = process.env;
  const port = await freePort();
  const env = { PATH, HOME: home, WAYBILL_HOME: join(home, "waybill"), PORT: String(port) };
  const child = spawn(process.execPath, [join(root, "bin", "waybill"), "up"], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error("The demo did not start. Run `npm start` to see why.");
    await wait(100);
  }
  const token = readFileSync(join(env.WAYBILL_HOME, "token"), "utf8").trim();
  return {
    url,
    client: new WaybillClient({ url, token }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function isReady(url) {
  try {
    return (await fetch(`${url}/ready`)).ok;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A small team with a day of work, and one agent that is waiting for a person. */
async function play(client) {
  const directory = (name) => {
    const path = join(home, "src", name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const lanes = [
    { id: "shop", displayName: "Shop", directory: directory("shop") },
    { id: "shop-tests", displayName: "Shop tests", directory: directory("shop") },
    { id: "billing", displayName: "Billing", directory: directory("billing") },
  ];
  for (const lane of lanes) await client.addLane({ runtime: "opencode", ...lane });
  await client.putTeam("store", { displayName: "Store team" });
  await client.putMember("store", "maya", { kind: "lane", lane: "shop", role: "lead" });
  await client.putMember("store", "jonas", { kind: "lane", lane: "shop-tests", role: "tests" });
  const say = (lane, text, more = {}) => client.sendAndWait({ to: { lane }, text, ...more });
  await say("shop", "Is the build green?", { actionMode: "ask" });
  const retried = await say("sleepy", "Is the build green?");
  await say("billing", "Write down what you found: edit the notes.", { actionMode: "do" });
  await say("demo", "Is the build green?", { actionMode: "ask" });
  await say("demo", "Please edit the notes.", { actionMode: "do" });
  await say("demo", "ack: look into the failing test", { actionMode: "ask", source: "cli" });
  await client.send({ to: { lane: "shop-tests" }, text: "Ask for permission and look around." });
  await client.send({ to: { lane: "billing" }, text: "A question: which colour has the build?" });
  while ((await client.asks()).asks.length < 2) await wait(100);
  return { retried: retried.id };
}

async function takeAll({ url, client }, deliveries) {
  const executablePath = findChromium(process.env);
  if (executablePath === null)
    throw new Error("Chromium is not installed: `npm run ready` installs it, or says how to.");
  rmSync(all, { recursive: true, force: true });
  for (const path of [all, images]) mkdirSync(path, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ["--disable-gpu"] });
  try {
    for (const [look, options] of Object.entries(looks)) {
      const page = await (await browser.newContext(options)).newPage();
      const { code } = await client.login();
      await page.goto(`${url}/login?code=${encodeURIComponent(code)}`);
      for (const [name, show] of Object.entries(views(page, { url, client, deliveries }))) {
        await show();
        await settle(page);
        const path = join(all, `${name}-${look}.png`);
        await page.screenshot({ path });
        if (documented.includes(`${name}-${look}`)) cpSync(path, join(images, `${name}-${look}.png`));
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
  }
}

/** Each one leaves the page as a person would see it. */
function views(page, { url, client, deliveries }) {
  const open = async (path, shown) => {
    await page.goto(`${url}${path}`);
    await shown.first().waitFor();
  };
  const dialog = async (key) => {
    await page.getByRole("main").focus();
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
  };
  const tray = page.getByRole("region", { name: "Asks" });
  const foldTray = async () => {
    await page.getByRole("article").first().waitFor();
    const header = tray.getByRole("button", { expanded: true }).first();
    if ((await header.count()) > 0) await header.click();
  };
  return {
    home: () => open("/", page.getByRole("main").getByRole("heading")),
    asks: async () => {
      const header = tray.getByRole("button", { name: /waiting for you/ });
      await open("/lanes/shop-tests", header);
      if ((await header.getAttribute("aria-expanded")) === "false") await header.click();
      await tray.getByRole("button", { name: /Allow once/ }).waitFor();
    },
    conversation: async () => {
      await open("/lanes/demo", page.locator("[data-sign=answered]"));
      await foldTray();
    },
    live: async () => {
      await open("/lanes/demo", page.locator("[data-sign=answered]"));
      await client.send({ to: { lane: "demo" }, text: "A slow one, please." });
      await page.locator("[data-sign=accepted]").waitFor();
    },
    retry: async () => {
      await open("/lanes/sleepy", page.locator("[data-sign]"));
      await client.send({ to: { lane: "sleepy" }, text: "And now?" });
      await page.locator("[data-notice=retry_scheduled]").waitFor();
    },
    delivery: () => open(`/deliveries/${deliveries.retried}`, page.getByRole("heading", { name: "Evidence" })),
    status: () => open("/status", page.getByRole("main").getByRole("heading")),
    search: () => open("/search?q=build", page.getByRole("main").getByRole("link")),
    palette: async () => {
      await open("/lanes/demo", page.locator("[data-sign]"));
      await dialog("Control+k");
    },
    "new-lane": async () => {
      await open("/lanes/demo", page.locator("[data-sign]"));
      await dialog("n");
    },
    shortcuts: async () => {
      await open("/lanes/demo", page.locator("[data-sign]"));
      await dialog("?");
    },
  };
}

/** Waits until loading has finished and charts are drawn. */
async function settle(page) {
  await page.waitForFunction(() => document.querySelectorAll("[aria-busy=true][data-loading]").length === 0);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await wait(300);
}
