import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Bot, webhookCallback } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

type Received = { updateId: number; secret: string | undefined };

/** A bot's server that answers each request with the next status, then with 200. */
async function receiver(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const secret = request.headers["x-telegram-bot-api-secret-token"];
    received.push({ updateId: JSON.parse(body).update_id, secret: typeof secret === "string" ? secret : undefined });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe("a webhook", () => {
  test("delivers updates to a real bot, with the secret token", async () => {
    const { telegram, api } = await startTelegram();
    const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
    bot.on("message:text", (context) => context.reply(`You said: ${context.msg.text}`));
    const server = createServer(webhookCallback(bot, "http", { secretToken: "s3cret" }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const chat = telegram.privateChat();
    chat.send("before");
    await api.setWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { secret_token: "s3cret" });
    chat.send("after");
    await chat.waitFor(({ messages }) => messages.find(({ text }) => text === "You said: after"));
    expect(chat.messages.filter(({ isFromBot }) => isFromBot).map(({ text }) => text)).toEqual([
      "You said: before",
      "You said: after",
    ]);
  });

  test("is retried until it answers with 2xx, in order", async () => {
    const { telegram, api } = await startTelegram({ webhookRetryMs: 1 });
    const { url, received } = await receiver(500, 403);
    await api.setWebhook(url, { secret_token: "abc" });
    const chat = telegram.privateChat();
    chat.send("one");
    chat.send("two");
    await expect.poll(() => telegram.pendingUpdates()).toBe(0);
    const first = received[0]?.updateId ?? 0;
    expect(received.map(({ updateId }) => updateId - first)).toEqual([0, 0, 0, 1]);
    expect(received.every(({ secret }) => secret === "abc")).toBe(true);
    expect(await api.getWebhookInfo()).toMatchObject({
      url,
      pending_update_count: 0,
      last_error_message: "Wrong response from the webhook: 403 Forbidden",
    });
  });

  test("gets nothing more once the bot sets another one, which gets the pending updates", async () => {
    const { telegram, api } = await startTelegram({ webhookRetryMs: 1 });
    const before = await receiver(...Array.from({ length: 1000 }, () => 500));
    const after = await receiver();
    await api.setWebhook(before.url);
    const chat = telegram.privateChat();
    chat.send("one");
    await expect.poll(() => before.received.length).toBeGreaterThan(1);
    await api.setWebhook(after.url);
    await expect.poll(() => telegram.pendingUpdates()).toBe(0);
    const count = before.received.length;
    chat.send("two");
    await expect.poll(() => after.received.length).toBe(2);
    expect(before.received).toHaveLength(count);
  });

  test("excludes getUpdates, and ends a waiting one", async () => {
    const clock = new ManualClock();
    const { api } = await startTelegram({ clock });
    const waiting = refusal(api.getUpdates({ timeout: 30 }));
    await expect.poll(() => clock.pending).toBe(1);
    await api.setWebhook("http://127.0.0.1:9/");
    expect(await waiting).toBe("409: Conflict: terminated by setWebhook request");
    expect(await refusal(api.getUpdates())).toBe(
      "409: Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    await api.deleteWebhook();
    expect(await api.getUpdates()).toEqual([]);
  });

  test("keeps pending updates when it is deleted, or drops them", async () => {
    const { telegram, api } = await startTelegram();
    const { url } = await receiver(...Array.from({ length: 100 }, () => 500));
    await api.setWebhook(url);
    const chat = telegram.privateChat();
    chat.send("one");
    await api.deleteWebhook();
    expect(await api.getUpdates()).toHaveLength(1);
    await api.setWebhook(url);
    await api.deleteWebhook({ drop_pending_updates: true });
    expect(await api.getUpdates()).toEqual([]);
    expect(await api.getWebhookInfo()).toMatchObject({ url: "", pending_update_count: 0 });
  });

  test.each([
    ["ftp://example.org", "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", undefined],
    ["http://127.0.0.1:9/", "Bad Request: secret token contains unallowed characters", "not allowed"],
  ])("to %s is refused: %s", async (url, description, secret) => {
    const { api } = await startTelegram();
    const answer = await refusal(api.setWebhook(url, secret ? { secret_token: secret } : {}));
    expect(answer).toBe(`400: ${description}`);
  });
});
