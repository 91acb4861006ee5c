import { Bot } from "grammy";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const tooOld = "400: Bad Request: query is too old and response timeout expired or query ID is invalid";
const keyboard = (data: string, text = "Go") => ({ inline_keyboard: [[{ text, callback_data: data }]] });

describe("a button", () => {
  test("shows the bot's answer to the person who pressed it", async () => {
    const { telegram } = await startTelegram();
    const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
    bot.command("ask", (context) => context.reply("Sure?", { reply_markup: keyboard("yes:1") }));
    bot.callbackQuery(/^yes:(\d)$/, async (context) => {
      await context.answerCallbackQuery({ text: `Chose ${context.match[1]}`, show_alert: true });
      await context.editMessageText("Done.");
    });
    const running = bot.start();
    const chat = telegram.privateChat();
    chat.send("/ask");
    const question = await chat.waitFor(({ messages }) => messages.find(({ text }) => text === "Sure?"));
    expect(await chat.press(question, "Go")).toEqual({ text: "Chose 1", showAlert: true, url: undefined });
    await chat.waitFor(({ messages }) => messages.find(({ text, isEdited }) => text === "Done." && isEdited));
    await bot.stop();
    await running;
  });

  test("that does not exist cannot be pressed by its text", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "Sure?", { reply_markup: keyboard("a") });
    expect(() => chat.press(message_id, "Stop")).toThrow('has no button "Stop" to press:\n#1 bot: Sure?\n    [Go]');
  });

  test("of a deleted message reaches the bot by its data, without the message", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "Sure?", { reply_markup: keyboard("a") });
    await api.deleteMessage(chat.id, message_id);
    const answer = chat.press(message_id, { data: "a" });
    const [update] = await api.getUpdates();
    expect(update?.callback_query).toMatchObject({ data: "a", message: { message_id, date: 0 } });
    await api.answerCallbackQuery(update?.callback_query?.id ?? "");
    expect(await answer).toEqual({ text: undefined, showAlert: false, url: undefined });
  });

  test("makes the press fail if the bot does not answer", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "Sure?", { reply_markup: keyboard("a") });
    await expect(chat.press(message_id, "Go", { timeoutMs: 20 })).rejects.toThrow(
      "did not answer the button within 20 ms",
    );
  });
});

describe("answerCallbackQuery", () => {
  test("answers a query once, and only in time", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "Sure?", { reply_markup: keyboard("a") });
    const press = async () => {
      const pressed = chat.press(message_id, "Go", { timeoutMs: 50 }).catch((error: Error) => error.message);
      const [update] = await api.getUpdates({ offset: -1 });
      return { pressed, id: update?.callback_query?.id ?? "" };
    };
    const first = await press();
    await api.answerCallbackQuery(first.id);
    expect(await refusal(api.answerCallbackQuery(first.id))).toBe(tooOld);
    const second = await press();
    await clock.advance(60_000);
    expect(await refusal(api.answerCallbackQuery(second.id))).toBe(tooOld);
    expect(await second.pressed).toContain("did not answer");
    expect(await refusal(api.answerCallbackQuery("unknown"))).toBe(tooOld);
  });
});

describe("an inline keyboard", () => {
  test("accepts data of 1 to 64 bytes", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const send = (data: string) => api.sendMessage(chat.id, "?", { reply_markup: keyboard(data) });
    await send("a".repeat(64));
    await send("😀".repeat(16));
    for (const data of ["", "a".repeat(65), "😀".repeat(17)]) {
      expect(await refusal(send(data))).toBe("400: Bad Request: BUTTON_DATA_INVALID");
    }
  });

  test.each([
    [{ text: "Go" }, "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
    [{ text: " ", callback_data: "a" }, "can't parse inline keyboard button: Button text must be non-empty"],
    [
      { text: "Open", url: "http://localhost:4096/" },
      "inline keyboard button URL 'http://localhost:4096/' is invalid: Wrong HTTP URL",
    ],
  ])("refuses %o", async (button, reason) => {
    const { telegram, api } = await startTelegram();
    const reply_markup = { inline_keyboard: [[button as { text: string; url: string }]] };
    const answer = await refusal(api.sendMessage(telegram.privateChat().id, "?", { reply_markup }));
    expect(answer).toBe(`400: Bad Request: ${reason}`);
  });
});
