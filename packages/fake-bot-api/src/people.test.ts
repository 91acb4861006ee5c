import { describe, expect, test } from "vitest";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

describe("people", () => {
  test("edit their messages", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const sent = chat.send("/one");
    chat.edit(sent, "two");
    const [, edit] = await api.getUpdates();
    expect(edit?.edited_message).toMatchObject({ text: "two", edit_date: expect.any(Number) });
    expect(edit?.edited_message?.entities).toBeUndefined();
    const photo = chat.sendPhoto({ bytes: "x", caption: "before" });
    expect(chat.edit(photo, "after")).toMatchObject({ caption: "after" });
  });

  test("delete messages, and the bot is not notified", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = await api.sendMessage(chat.id, "one");
    chat.delete(message_id);
    expect(await refusal(api.editMessageText(chat.id, message_id, "two"))).toBe(
      "400: Bad Request: message to edit not found",
    );
    expect(await api.getUpdates()).toEqual([]);
  });

  test("reply to messages and quote them", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const answer = await api.sendMessage(chat.id, "one two three");
    chat.send("why two?", { replyTo: answer, quote: "two" });
    const [update] = await api.getUpdates();
    expect(update?.message).toMatchObject({
      reply_to_message: { message_id: answer.message_id, text: "one two three" },
      quote: { text: "two", position: 4, is_manual: true },
    });
    expect(() => chat.send("a", { replyTo: answer, quote: "four" })).toThrow("The quote is not in the message");
  });

  test("forward messages of others", async () => {
    const { telegram, api } = await startTelegram();
    const [ada, bob] = [telegram.user({ first_name: "Ada" }), telegram.user({ first_name: "Bob" })];
    const original = telegram.group({ members: [ada] }).send("see this");
    await api.getUpdates({ offset: -1 });
    telegram.privateChat(bob).forward(original);
    const updates = await api.getUpdates();
    expect(updates.at(-1)?.message).toMatchObject({
      text: "see this",
      from: { first_name: "Bob" },
      forward_origin: { type: "user", sender_user: { first_name: "Ada" } },
    });
  });

  test("write in a group, each under their own name", async () => {
    const { telegram, api } = await startTelegram();
    const [ada, bob] = [telegram.user({ first_name: "Ada" }), telegram.user({ first_name: "Bob" })];
    const group = telegram.group({ members: [ada, bob] });
    group.send("one");
    group.send("two", { from: bob });
    const updates = await api.getUpdates();
    expect(updates.map(({ message }) => message?.from.first_name)).toEqual(["Ada", "Bob"]);
  });

  test("send messages other than text", async () => {
    const { telegram, api } = await startTelegram();
    const group = telegram.group();
    group.sendContent({ dice: { emoji: "🎲", value: 3 } });
    group.addMember(telegram.user({ first_name: "Bob" }));
    expect(await api.getUpdates()).toMatchObject([
      { message: { dice: { value: 3 } } },
      { message: { new_chat_members: [{ first_name: "Bob" }] } },
    ]);
  });

  test("cannot send messages that Telegram's apps would not send", async () => {
    const { telegram } = await startTelegram();
    const chat = telegram.privateChat();
    expect(() => chat.send(" ")).toThrow("Telegram's apps do not send an empty text.");
    expect(() => chat.send("a".repeat(4097))).toThrow("Telegram's apps split a text after 4096 characters.");
  });
});

describe("waiting for a chat to show something", () => {
  test("ends as soon as the chat shows it", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const waiting = chat.waitFor(({ messages }) => messages.find(({ reactions }) => reactions.includes("👀"))?.id);
    const { message_id } = chat.send("hi");
    await api.setMessageReaction(chat.id, message_id, [{ type: "emoji", emoji: "👀" }]);
    expect(await waiting).toBe(message_id);
  });

  test("fails with a printout of the chat", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
    chat.send("hi");
    const { message_id } = await api.sendMessage(chat.id, "Sure?", {
      reply_markup: {
        inline_keyboard: [
          [
            { text: "Yes", callback_data: "y" },
            { text: "No", callback_data: "n" },
          ],
        ],
      },
    });
    await api.editMessageText(chat.id, message_id, "Really?");
    await api.raw.sendMessageDraft({ chat_id: chat.id, draft_id: 3, text: "Wor", can_stop: true });
    await api.sendChatAction(chat.id, "typing");
    const waiting = chat.waitFor(({ messages }) => messages.find(({ text }) => text === "never"), { timeoutMs: 20 });
    await expect(waiting).rejects.toThrow(
      [
        "Nothing matched within 20 ms. The chat shows:",
        "#1 Ada: hi",
        "#2 bot (edited): Really?",
        "draft 3 (can stop): Wor",
        "actions: typing",
      ].join("\n"),
    );
  });

  test("fails with the error of its condition", async () => {
    const { telegram } = await startTelegram();
    const waiting = telegram.privateChat().waitFor(() => {
      throw new Error("a bug in the test");
    });
    await expect(waiting).rejects.toThrow("a bug in the test");
  });

  test("is possible for all chats at once", async () => {
    const { telegram } = await startTelegram();
    let changes = 0;
    const stop = telegram.onChange(() => {
      changes += 1;
    });
    telegram.privateChat().send("one");
    telegram.group().send("two");
    stop();
    telegram.group().send("three");
    expect(changes).toBe(2);
  });
});
