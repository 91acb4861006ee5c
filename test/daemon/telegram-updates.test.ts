/** How updates reach a bot: a webhook or polling, and readiness; a real daemon and a Bot API on loopback. */
import { request } from "node:http";
import type { TestContext } from "vitest";
import { describe, expect, test } from "vitest";
import { freePort } from "../support/daemon/free-port.ts";
import type { BotOptions, StartedBot } from "../support/telegram/telegram-world.ts";
import { saysIn, startBot } from "../support/telegram/telegram-world.ts";

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

describe.concurrent("a webhook", () => {
  async function startWithWebhook(
    t: TestContext,
    { before, host }: Pick<BotOptions, "before"> & { host?: string } = {},
  ) {
    const port = await freePort();
    const telegramWebhookUrl = `${host ?? `http://127.0.0.1:${port}`}/telegram/webhook`;
    const bot = await startBot(t, {
      settings: { telegramWebhookUrl, telegramWebhookSecret: secret },
      async before(created) {
        created.world.daemon.env.PORT = String(port);
        await before?.(created);
      },
    });
    return { port, ...bot };
  }

  test("is set with its secret, and its updates are answered", async (t) => {
    const { world, chat } = await startWithWebhook(t);
    chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    expect(world.telegram.calls("getUpdates")).toEqual([]);
    const [call] = world.telegram.calls("setWebhook");
    expect(call?.params).toMatchObject({ secret_token: secret, allowed_updates: expect.arrayContaining(["message"]) });
    expect(world.telegram.pendingUpdates()).toBe(0);
  });

  test("is set as soon as Telegram is reachable", async (t) => {
    const { chat } = await startWithWebhook(t, {
      before({ world, chat: ann }) {
        world.telegram.fail({ method: "setWebhook", times: 2, with: { type: "badGateway" } });
        ann.send("Are you there?");
      },
    });
    await saysIn(chat, /The answer is 42/);
  });

  test("refuses calls that are not from Telegram, and accepts those that are", async (t) => {
    const { port, world, chat } = await startWithWebhook(t);
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

  test("refuses an update that cannot be stored yet with 503, so that Telegram sends it again", async (t) => {
    const { port } = await startWithWebhook(t, { before: ({ world }) => world.telegram.goDown() });
    expect(await callWebhook(port, known)).toBe(503);
  });

  test("allows its host only for its own path", async (t) => {
    const { port } = await startWithWebhook(t, { host: "https://bot.example" });
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

  test("is removed for polling, and pending updates are answered", async (t) => {
    const { world, chat } = await startBot(t, {
      async before({ world: { telegram }, chat: ann }) {
        await fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ url: "http://127.0.0.1:9/gone" }),
        });
        ann.send("Are you there?");
      },
    });
    await world.daemon.waitForLine({ event: "telegram_webhook_removed" });
    await saysIn(chat, /The answer is 42/);
    expect(world.telegram.calls("deleteWebhook")[0]?.params).toMatchObject({ drop_pending_updates: false });
  });
});

describe.concurrent("readiness", () => {
  const reasons = async ({ daemon }: StartedBot["world"]) => {
    const response = await daemon.fetch("/ready");
    return { status: response.status, ...((await response.json()) as { degraded: boolean; reasons: string[] }) };
  };

  test("reports by code what keeps Telegram from working, until it works again", async (t) => {
    const { world } = await startBot(t);
    await world.telegram.goDown();
    await world.daemon.waitForLine({ event: "telegram_unreachable" });
    expect(await reasons(world)).toMatchObject({ status: 200, degraded: true, reasons: ["telegram_unreachable"] });
    await world.telegram.comeBack();
    await world.daemon.waitForLine({ event: "telegram_ready" });
    expect(await reasons(world)).toMatchObject({ status: 200, degraded: false, reasons: [] });
  });

  test("reports a refused token and another program that polls", async (t) => {
    const conflict = { type: "error", code: 409, description: "Conflict: terminated by other getUpdates request" };
    const { world } = await startBot(t, {
      // Until the token is revoked: that is noticed first.
      before: ({ world: { telegram } }) =>
        void telegram.fail({ method: "getUpdates", times: 1000, with: conflict as never }),
    });
    await world.daemon.waitForLine({ event: "telegram_conflict" });
    expect((await reasons(world)).reasons).toEqual(["telegram_conflict"]);
    world.telegram.revokeToken();
    await world.daemon.waitForLine({ event: "telegram_token_refused" });
    expect((await reasons(world)).reasons).toEqual(["telegram_token_refused"]);
  });
});
