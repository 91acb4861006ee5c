/** How updates reach a bot: a webhook or polling, and readiness; a real daemon and a Bot API on loopback. */
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../support/daemon/free-port.ts";
import type { InProcessDaemon } from "../support/daemon/in-process-daemon.ts";
import { saysIn, TelegramWorld } from "../support/telegram/telegram-world.ts";

let world: TelegramWorld<InProcessDaemon>;
afterEach(() => world.dispose());

const secret = "a-secret_of-the-webhook";

const known = { "x-telegram-bot-api-secret-token": secret };

/** Resolves with the status. */
function callWebhook(port: number, headers: Record<string, string>, body = '{"update_id":900000001}') {
  return new Promise<number>((resolve, reject) => {
    const address = { host: "127.0.0.1", port, path: "/telegram/webhook", method: "POST" };
    const sent = request({ ...address, headers: { "content-type": "application/json", ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end(body);
  });
}

describe("a webhook", () => {
  async function startWithWebhook() {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    const settings = { port, telegramWebhookUrl, telegramWebhookSecret: secret };
    world = await TelegramWorld.inProcess({ settings });
    world.daemon.env.PORT = String(port);
    await world.daemon.up();
    return { port, settings };
  }

  test("is set with its secret, and its updates are answered", async () => {
    await startWithWebhook();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    expect(world.telegram.calls("getUpdates")).toEqual([]);
    const [call] = world.telegram.calls("setWebhook");
    expect(call?.params).toMatchObject({ secret_token: secret, allowed_updates: expect.arrayContaining(["message"]) });
    expect(world.telegram.pendingUpdates()).toBe(0);
  });

  test("is set as soon as Telegram is reachable", async () => {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    world = await TelegramWorld.inProcess({ settings: { port, telegramWebhookUrl, telegramWebhookSecret: secret } });
    world.telegram.fail({ method: "setWebhook", times: 2, with: { type: "badGateway" } });
    world.daemon.env.PORT = String(port);
    const chat = world.telegram.privateChat(world.ann);
    chat.send("Are you there?");
    await world.daemon.up();
    await saysIn(chat, /The answer is 42/);
  });

  test("refuses calls that are not from Telegram, and accepts those that are", async () => {
    const { port } = await startWithWebhook();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    const call = (headers: Record<string, string>, body?: string) => callWebhook(port, headers, body);
    expect(await call({})).toBe(401);
    expect(await call({ "x-telegram-bot-api-secret-token": `${secret}x` })).toBe(401);
    expect(await call({ authorization: `Bearer ${world.daemon.token}` })).toBe(401);
    expect(await call({ ...known, host: "elsewhere.example" })).toBe(403);
    expect(await call({ ...known, "content-type": "text/plain" })).toBe(415);
    expect(await call(known, "{")).toBe(400);
    expect(await call(known, "{}")).toBe(400);
    expect(await call(known, `{"update_id":1,"x":"${"x".repeat(1024 * 1024)}"}`)).toBe(413);
    expect(await call(known)).toBe(200);
    expect(await call(known)).toBe(200);
  });

  test("refuses an update that cannot be stored yet with 503, so that Telegram sends it again", async () => {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    world = await TelegramWorld.inProcess({ settings: { port, telegramWebhookUrl, telegramWebhookSecret: secret } });
    world.daemon.env.PORT = String(port);
    await world.telegram.goDown();
    await world.daemon.up();
    expect(await callWebhook(port, known)).toBe(503);
  });

  test("allows its host only for its own path", async () => {
    const port = await freePort();
    const telegramWebhookUrl = "https://bot.example/telegram/webhook";
    const settings = { port, telegramWebhookUrl, telegramWebhookSecret: secret };
    world = await TelegramWorld.inProcess({ settings });
    world.daemon.env.PORT = String(port);
    await world.daemon.up();
    const statusAt = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host: "bot.example", "x-telegram-bot-api-secret-token": secret };
        const sent = request({ host: "127.0.0.1", port, path, method: "GET", headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on("error", reject).end();
      });
    expect(await statusAt("/telegram/webhook")).toBe(405);
    expect(await statusAt("/health")).toBe(403);
    expect(await statusAt("/telegram")).toBe(403);
  });

  test("is removed for polling, and pending updates are answered", async () => {
    world = await TelegramWorld.inProcess();
    const { telegram, ann } = world;
    await fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "http://127.0.0.1:9/gone" }),
    });
    const chat = telegram.privateChat(ann);
    chat.send("Are you there?");
    await world.daemon.up();
    await world.daemon.waitForLine({ event: "telegram_webhook_removed" });
    await saysIn(chat, /The answer is 42/);
    expect(telegram.calls("deleteWebhook")[0]?.params).toMatchObject({ drop_pending_updates: false });
  });
});

describe("readiness", () => {
  const reasons = async () => {
    const response = await world.daemon.fetch("/ready");
    return { status: response.status, ...((await response.json()) as { degraded: boolean; reasons: string[] }) };
  };

  test("reports by code what keeps Telegram from working, until it works again", async () => {
    world = await TelegramWorld.inProcess();
    await world.daemon.up();
    await world.telegram.goDown();
    await world.daemon.waitForLine({ event: "telegram_unreachable" });
    expect(await reasons()).toMatchObject({ status: 200, degraded: true, reasons: ["telegram_unreachable"] });
    await world.telegram.comeBack();
    await world.daemon.waitForLine({ event: "telegram_ready" });
    expect(await reasons()).toMatchObject({ status: 200, degraded: false, reasons: [] });
  });

  test("reports a refused token and another program that polls", async () => {
    world = await TelegramWorld.inProcess();
    const conflict = { type: "error", code: 409, description: "Conflict: terminated by other getUpdates request" };
    // Until the token is revoked: that is noticed first.
    world.telegram.fail({ method: "getUpdates", times: 1000, with: conflict as never });
    await world.daemon.up();
    await world.daemon.waitForLine({ event: "telegram_conflict" });
    expect((await reasons()).reasons).toEqual(["telegram_conflict"]);
    world.telegram.revokeToken();
    await world.daemon.waitForLine({ event: "telegram_token_refused" });
    expect((await reasons()).reasons).toEqual(["telegram_token_refused"]);
  });
});
