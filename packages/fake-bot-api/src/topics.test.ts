import { describe, expect, test } from "vitest";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const notFound = "400: Bad Request: message thread not found";

describe("a topic", () => {
  test("can be created, renamed, closed, reopened and deleted by the bot", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ topics: true });
    const { message_thread_id: thread, name } = await api.createForumTopic(chat.id, "Build");
    expect([name, chat.topics]).toEqual(["Build", [{ id: thread, name: "Build", closed: false }]]);
    await api.editForumTopic(chat.id, thread, { name: "Tests" });
    await api.closeForumTopic(chat.id, thread);
    expect(chat.topics).toEqual([{ id: thread, name: "Tests", closed: true }]);
    await api.reopenForumTopic(chat.id, thread);
    await api.sendMessage(chat.id, "hi", { message_thread_id: thread });
    await api.sendMessage(chat.id, "outside");
    await api.deleteForumTopic(chat.id, thread);
    expect(chat.topics).toEqual([]);
    expect(chat.messages).toMatchObject([{ text: "outside", thread: undefined }]);
    // A bot gets no updates about what it did itself.
    expect(await api.getUpdates()).toEqual([]);
  });

  test("holds messages from both sides, which refer to the message that opened it", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ topics: true });
    const thread = chat.createTopic("Build");
    const sent = await api.sendMessage(chat.id, "from the bot", { message_thread_id: thread });
    expect(sent).toMatchObject({ message_thread_id: thread, is_topic_message: true });
    chat.send("from a person", { thread });
    const updates = await api.getUpdates();
    expect(updates).toMatchObject([
      { message: { forum_topic_created: { name: "Build" }, message_thread_id: thread } },
      { message: { text: "from a person", message_thread_id: thread, reply_to_message: { message_id: thread } } },
    ]);
    expect(chat.messages.map((message) => message.thread)).toEqual([thread, thread, thread]);
  });

  test("that people delete no longer exists for the bot, which is not notified", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ topics: true });
    const thread = chat.createTopic("Build");
    await api.getUpdates({ offset: -1 });
    chat.deleteTopic(thread);
    expect(await api.getUpdates()).toHaveLength(1);
    expect(await refusal(api.sendMessage(chat.id, "hi", { message_thread_id: thread }))).toBe(notFound);
    expect(await refusal(api.sendChatAction(chat.id, "typing", { message_thread_id: thread }))).toBe(notFound);
    expect(() => chat.send("hi", { thread })).toThrow(`The chat has no topic ${thread}.`);
  });

  test("that people rename, close or reopen is reported to the bot", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ topics: true });
    const thread = chat.createTopic("Build");
    chat.renameTopic(thread, "Tests");
    chat.closeTopic(thread);
    chat.reopenTopic(thread);
    const [, ...updates] = await api.getUpdates();
    expect(updates).toMatchObject([
      { message: { forum_topic_edited: { name: "Tests" } } },
      { message: { forum_topic_closed: {} } },
      { message: { forum_topic_reopened: {} } },
    ]);
  });

  test("that is closed accepts messages only from an administrator", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ topics: true, botIsAdministrator: false });
    const thread = chat.createTopic("Build");
    chat.closeTopic(thread);
    const send = () => api.sendMessage(chat.id, "hi", { message_thread_id: thread });
    expect(await refusal(send())).toBe("400: Bad Request: TOPIC_CLOSED");
    chat.addBot({ asAdministrator: true });
    await send();
  });

  test("can exist in a private chat, if the bot has topics enabled", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_thread_id } = await api.createForumTopic(chat.id, "Build");
    await api.sendMessage(chat.id, "hi", { message_thread_id });
    expect(chat.messages.at(-1)).toMatchObject({ text: "hi", thread: message_thread_id });
  });
});

describe("a thread that does not exist", () => {
  test("is refused in a forum, a group and a private chat without topics", async () => {
    const { telegram, api } = await startTelegram({ bot: { has_topics_enabled: false } });
    for (const chat of [telegram.supergroup({ topics: true }), telegram.group(), telegram.privateChat()]) {
      expect(await refusal(api.sendMessage(chat.id, "hi", { message_thread_id: 77 }))).toBe(notFound);
    }
  });

  test("includes the general topic of a forum, which has no thread", async () => {
    const { telegram, api } = await startTelegram();
    const forum = telegram.supergroup({ topics: true });
    forum.createTopic("Build");
    expect(await refusal(api.sendMessage(forum.id, "hi", { message_thread_id: 1 }))).toBe(notFound);
  });

  test("cannot be created if topics are off or the bot lacks the right", async () => {
    const { telegram, api } = await startTelegram({ bot: { has_topics_enabled: false } });
    const create = (chat: { id: number }) => refusal(api.createForumTopic(chat.id, "Build"));
    expect(await create(telegram.privateChat())).toBe("400: Bad Request: the chat is not a forum");
    expect(await create(telegram.supergroup())).toBe("400: Bad Request: the chat is not a forum");
    expect(await create(telegram.supergroup({ topics: true, botIsAdministrator: false }))).toBe(
      "400: Bad Request: not enough rights to manage topics",
    );
  });

  test("cannot be renamed, closed or deleted", async () => {
    const { telegram, api } = await startTelegram();
    const { id } = telegram.supergroup({ topics: true });
    expect(await refusal(api.editForumTopic(id, 5, { name: "a" }))).toBe(notFound);
    expect(await refusal(api.closeForumTopic(id, 5))).toBe(notFound);
    expect(await refusal(api.deleteForumTopic(id, 5))).toBe(notFound);
  });
});

test("a topic's name must be valid, and a rename must change it", async () => {
  const { telegram, api } = await startTelegram();
  const chat = telegram.supergroup({ topics: true });
  const { message_thread_id } = await api.createForumTopic(chat.id, "Build");
  expect(await refusal(api.createForumTopic(chat.id, " "))).toBe("400: Bad Request: TOPIC_TITLE_EMPTY");
  expect(await refusal(api.editForumTopic(chat.id, message_thread_id, { name: "Build" }))).toBe(
    "400: Bad Request: TOPIC_NOT_MODIFIED",
  );
});
