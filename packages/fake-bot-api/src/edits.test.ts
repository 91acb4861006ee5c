import { InputFile } from "grammy";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const notModified =
  "400: Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
const keyboard = (data: string) => ({ inline_keyboard: [[{ text: "Go", callback_data: data }]] });

describe("editMessageText", () => {
  test("replaces the text, and removes the keyboard unless it is given again", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "<b>one</b>", {
      parse_mode: "HTML",
      reply_markup: keyboard("a"),
    });
    const edited = await api.editMessageText(chat.id, message_id, "two");
    expect(edited).toMatchObject({ message_id, text: "two", edit_date: expect.any(Number) });
    expect(chat.messages).toMatchObject([{ id: message_id, text: "two", entities: [], keyboard: [], isEdited: true }]);
  });

  test("refuses an edit that changes nothing", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "*one*", {
      parse_mode: "MarkdownV2",
      reply_markup: keyboard("a"),
    });
    const same = { entities: [{ type: "bold" as const, offset: 0, length: 3 }], reply_markup: keyboard("a") };
    expect(await refusal(api.editMessageText(chat.id, message_id, "one ", same))).toBe(notModified);
    await api.editMessageText(chat.id, message_id, "one", { ...same, reply_markup: keyboard("b") });
    await api.editMessageText(chat.id, message_id, "one", { reply_markup: keyboard("b") });
    expect(chat.messages).toMatchObject([{ entities: [], keyboard: keyboard("b").inline_keyboard }]);
  });

  test("turns a text into a rich message and back", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "one");
    const edit = { chat_id: chat.id, message_id, rich_message: { markdown: "# two" } };
    await api.raw.editMessageText(edit);
    expect(chat.messages).toMatchObject([
      { text: "# two", rich: { markdown: "# two" }, message: { rich_message: {} } },
    ]);
    expect(chat.messages[0]?.message.text).toBeUndefined();
    expect(await refusal(api.raw.editMessageText(edit))).toBe(notModified);
    await api.editMessageText(chat.id, message_id, "three");
    expect(chat.messages).toMatchObject([{ text: "three", rich: undefined }]);
  });

  test("refuses messages that do not exist, are not the bot's, or have no text", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const theirs = chat.send("mine");
    const photo = await api.sendPhoto(chat.id, new InputFile(Buffer.from("x"), "x.png"));
    expect(await refusal(api.editMessageText(chat.id, 99, "a"))).toBe("400: Bad Request: message to edit not found");
    expect(await refusal(api.editMessageText(chat.id, theirs.message_id, "a"))).toBe(
      "400: Bad Request: message can't be edited",
    );
    expect(await refusal(api.editMessageText(chat.id, photo.message_id, "a"))).toBe(
      "400: Bad Request: there is no text in the message to edit",
    );
  });
});

test("editMessageReplyMarkup changes only the keyboard", async () => {
  const { telegram, api } = await startTelegram();
  const chat = telegram.privateChat();
  const { message_id } = await api.sendMessage(chat.id, "one", { reply_markup: keyboard("a") });
  await api.editMessageReplyMarkup(chat.id, message_id, { reply_markup: keyboard("b") });
  expect(chat.messages).toMatchObject([{ text: "one", keyboard: keyboard("b").inline_keyboard }]);
  await api.editMessageReplyMarkup(chat.id, message_id);
  expect(chat.messages).toMatchObject([{ text: "one", keyboard: [] }]);
  expect(await refusal(api.editMessageReplyMarkup(chat.id, message_id))).toBe(notModified);
});

describe("deleteMessage", () => {
  test("removes a message once", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "one");
    await api.deleteMessage(chat.id, message_id);
    expect(chat.messages).toEqual([]);
    expect(await refusal(api.deleteMessage(chat.id, message_id))).toBe("400: Bad Request: message to delete not found");
  });

  test("refuses others' messages in a group where the bot is not an administrator, and old messages", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const group = telegram.group();
    const theirs = group.send("hi");
    expect(await refusal(api.deleteMessage(group.id, theirs.message_id))).toBe(
      "400: Bad Request: message can't be deleted",
    );
    const own = await api.sendMessage(group.id, "hi");
    await clock.advance(49 * 3600_000);
    expect(await refusal(api.deleteMessage(group.id, own.message_id))).toBe(
      "400: Bad Request: message can't be deleted",
    );
  });
});
