import { Bot } from "grammy";
import { afterEach, expect, test } from "vitest";
import { type FakeBotApi, startFakeBotApi } from "./fake-bot-api.ts";

let telegram: FakeBotApi;
afterEach(() => telegram.close());

test("a real bot answers a message that a person sends", async () => {
  telegram = await startFakeBotApi();
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
  bot.command("start", (context) => context.reply(`Hello, ${context.from?.first_name}.`));
  bot.on("message:text", (context) => context.reply(`You said: ${context.msg.text}`));
  const running = bot.start();
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
  chat.send("/start");
  await chat.waitFor(({ messages }) => messages.find(({ text }) => text === "Hello, Ada."));
  chat.send("hi");
  const answer = await chat.waitFor(({ messages }) => messages.find(({ text }) => text === "You said: hi"));
  expect(answer).toMatchObject({ isFromBot: true, id: 4 });
  await bot.stop();
  await running;
  expect(telegram.pendingUpdates()).toBe(0);
});
