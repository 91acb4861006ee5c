import { Bot, HttpError } from "grammy";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe("a fault", () => {
  test("429 says how long to wait", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    telegram.fail({ method: "sendMessage", with: { type: "tooManyRequests", retryAfterS: 7 } });
    expect(await failureOf(api.sendMessage(chat.id, "hi"))).toMatchObject({
      error_code: 429,
      description: "Too Many Requests: retry after 7",
      parameters: { retry_after: 7 },
    });
    expect(chat.messages).toEqual([]);
    await api.sendMessage(chat.id, "hi");
  });

  test.each([
    [400, "Bad Request: something new"],
    [403, "Forbidden: user is deactivated"],
    [500, "Internal Server Error"],
  ])("can be any error: %i", async (code, description) => {
    const { telegram, api } = await startTelegram();
    telegram.fail({ with: { type: "error", code, description } });
    expect(await refusal(api.getMe())).toBe(`${code}: ${description}`);
  });

  test("affects the given number of calls, of its method and with its parameters", async () => {
    const { telegram, api } = await startTelegram();
    const [one, two] = [telegram.privateChat(), telegram.privateChat()];
    const broken = { type: "error" as const, code: 500, description: "Internal Server Error" };
    const where = ({ chat_id }: Record<string, unknown>) => chat_id === one.id;
    telegram.fail({ method: "sendMessage", times: 2, where, with: broken });
    await api.getMe();
    await api.sendMessage(two.id, "hi");
    for (const _ of [1, 2]) expect(await refusal(api.sendMessage(one.id, "hi"))).toBe("500: Internal Server Error");
    await api.sendMessage(one.id, "hi");
    const takeBack = telegram.fail({ times: Number.POSITIVE_INFINITY, with: broken });
    expect(await refusal(api.getMe())).toBe("500: Internal Server Error");
    takeBack();
    await api.getMe();
  });

  test.each(["badGateway", "garbage"] as const)("%s is not JSON", async (type) => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    telegram.fail({ with: { type } });
    expect(await failureOf(api.sendMessage(chat.id, "hi"))).toBeInstanceOf(HttpError);
    expect(chat.messages).toHaveLength(type === "garbage" ? 1 : 0);
    expect(telegram.calls()).toMatchObject([{ outcome: { type: "answered", status: type === "garbage" ? 200 : 502 } }]);
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("drops the connection %s the message is in the chat", async (when, count) => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    telegram.fail({ with: { type: "cut", when } });
    expect(await failureOf(api.sendMessage(chat.id, "hi"))).toBeInstanceOf(HttpError);
    expect(chat.messages).toHaveLength(count);
    await expect.poll(() => telegram.calls()).toMatchObject([{ outcome: { type: "lost" } }]);
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("never answers, %s the message is in the chat", async (when, count) => {
    const { telegram } = await startTelegram();
    const chat = telegram.privateChat();
    telegram.fail({ with: { type: "hang", when } });
    const caller = new AbortController();
    const last = when === "before" ? "arrived" : "handled";
    telegram.onCall((stage) => stage === last && setImmediate(() => caller.abort()));
    const url = `${telegram.url}/bot${telegram.token}/sendMessage?chat_id=${chat.id}&text=hi`;
    await expect(fetch(url, { signal: caller.signal })).rejects.toThrow("aborted");
    expect(chat.messages).toHaveLength(count);
    await expect.poll(() => telegram.calls()).toMatchObject([{ outcome: { type: "lost" } }]);
  });

  test("delays an answer after the call has taken effect", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    telegram.fail({ with: { type: "delay", ms: 50 } });
    const start = performance.now();
    const sending = api.sendMessage(chat.id, "hi").then(() => performance.now() - start);
    await chat.waitFor(({ messages }) => messages.length > 0);
    expect(telegram.calls()).toMatchObject([{ outcome: { type: "running" } }]);
    // Timers may fire a millisecond early.
    expect(await sending).toBeGreaterThanOrEqual(49);
  });

  test("does not stop a real bot, which keeps polling", async () => {
    const { telegram } = await startTelegram();
    const chat = telegram.privateChat();
    const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
    bot.on("message", (context) => context.reply("Still here."));
    telegram.fail({ method: "getUpdates", with: { type: "tooManyRequests", retryAfterS: 0 } });
    const running = bot.start();
    chat.send("hi");
    await chat.waitFor(({ messages }) => messages.find(({ text }) => text === "Still here."));
    await bot.stop();
    await running;
    expect(telegram.calls("getUpdates")[0]).toMatchObject({ outcome: { status: 429 } });
  });
});

describe("a gate", () => {
  test.each([
    ["after", 1],
    ["before", 0],
  ] as const)("holds a call %s it takes effect, until it is released", async (when, count) => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const gate = telegram.hold("sendMessage", when);
    const sending = api.sendMessage(chat.id, "hi");
    const call = await gate.arrived;
    expect(call).toMatchObject({ method: "sendMessage", params: { text: "hi" }, outcome: { type: "running" } });
    expect(chat.messages).toHaveLength(count);
    await api.getMe();
    gate.release();
    await sending;
    expect(chat.messages).toHaveLength(1);
    await api.sendMessage(chat.id, "again");
  });

  test("lets a test wait for the next answer of a method", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const answered = telegram.nextCall("sendMessage", ({ text }) => text === "two");
    await api.sendMessage(chat.id, "one");
    await api.sendMessage(chat.id, "two");
    expect(await answered).toMatchObject({ params: { text: "two" }, outcome: { type: "answered", status: 200 } });
  });
});

describe("flood limits", () => {
  test("allow a message a second in a chat, edits included", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock, floodLimits: true });
    const [one, two] = [telegram.privateChat(), telegram.privateChat()];
    const { message_id } = await api.sendMessage(one.id, "a");
    await api.sendMessage(two.id, "a");
    expect(await refusal(api.sendMessage(one.id, "b"))).toBe("429: Too Many Requests: retry after 1");
    expect(await refusal(api.editMessageText(one.id, message_id, "b"))).toBe("429: Too Many Requests: retry after 1");
    await clock.advance(1000);
    await api.editMessageText(one.id, message_id, "b");
  });

  test("allow 20 messages a minute in a group", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock, floodLimits: true });
    const group = telegram.group();
    for (let sent = 0; sent < 20; sent += 1) {
      await api.sendMessage(group.id, "a");
      await clock.advance(1000);
    }
    expect(await refusal(api.sendMessage(group.id, "b"))).toBe("429: Too Many Requests: retry after 40");
    await clock.advance(40_000);
    await api.sendMessage(group.id, "b");
  });

  test("are off by default", async () => {
    const { telegram, api } = await startTelegram();
    const group = telegram.group();
    for (let sent = 0; sent < 25; sent += 1) await api.sendMessage(group.id, "a");
    expect(group.messages).toHaveLength(25);
  });
});

describe("Telegram", () => {
  test("can be down, and keeps its state until it is back", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    const thread = chat.createTopic("Build");
    const [update] = await api.getUpdates();
    const waiting = failureOf(api.getUpdates({ timeout: 30, offset: (update?.update_id ?? 0) + 1 }));
    await expect.poll(() => clock.pending).toBe(1);
    await telegram.goDown();
    expect(await waiting).toBeInstanceOf(HttpError);
    expect(await failureOf(api.getMe())).toBeInstanceOf(HttpError);
    chat.send("are you there?");
    await telegram.comeBack();
    expect(await api.getUpdates()).toMatchObject([{ message: { text: "are you there?" } }]);
    await api.sendMessage(chat.id, "yes", { message_thread_id: thread });
    expect(chat.messages.map(({ text }) => text)).toEqual(["", "are you there?", "yes"]);
  });
});
