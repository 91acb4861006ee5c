import { GrammyError } from "grammy";
import { describe, expect, test } from "vitest";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

describe("the bot", () => {
  test("gets its own profile", async () => {
    const { api } = await startTelegram({ token: "77:abc", username: "my_bot", bot: { first_name: "Mine" } });
    expect(await api.getMe()).toMatchObject({
      id: 77,
      is_bot: true,
      username: "my_bot",
      first_name: "Mine",
      can_read_all_group_messages: true,
      has_topics_enabled: true,
    });
  });

  test("sets its commands, by scope", async () => {
    const { api } = await startTelegram();
    const commands = [{ command: "stop", description: "Stops the agent" }];
    const scope = { type: "all_private_chats" } as const;
    await api.setMyCommands(commands, { scope });
    expect([await api.getMyCommands({ scope }), await api.getMyCommands()]).toEqual([commands, []]);
    await api.deleteMyCommands({ scope });
    expect(await api.getMyCommands({ scope })).toEqual([]);
    expect(await refusal(api.setMyCommands([{ command: "a-b", description: "a" }]))).toBe(
      "400: Bad Request: BOT_COMMAND_INVALID",
    );
    expect(await refusal(api.setMyCommands([{ command: "ab", description: "" }]))).toBe(
      "400: Bad Request: BOT_COMMAND_DESCRIPTION_INVALID",
    );
  });
});

describe("a chat", () => {
  test("is described with its members", async () => {
    const { telegram, api } = await startTelegram();
    const [owner, member, stranger] = [telegram.user(), telegram.user(), telegram.user()];
    const chat = telegram.supergroup({ title: "Builders", topics: true, members: [owner, member] });
    expect(await api.getChat(chat.id)).toMatchObject({ type: "supergroup", title: "Builders", is_forum: true });
    const status = async (id: number) => (await api.getChatMember(chat.id, id)).status;
    expect(await Promise.all([owner, member, stranger, telegram.bot].map(({ id }) => status(id)))).toEqual([
      "creator",
      "member",
      "left",
      "administrator",
    ]);
    expect(await refusal(api.getChatMember(chat.id, 1))).toBe("400: Bad Request: invalid user_id specified");
  });

  test("is the same each time the same user opens it", async () => {
    const { telegram } = await startTelegram();
    const user = telegram.user();
    telegram.privateChat(user).send("hi");
    expect(telegram.privateChat(user).messages).toHaveLength(1);
  });

  test("shows what the bot is doing", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.sendChatAction(chat.id, "typing");
    expect(chat.actions).toMatchObject([{ action: "typing" }]);
    const unknown = api.raw.sendChatAction({ chat_id: chat.id, action: "sleeping" as "typing" });
    expect(await refusal(unknown)).toBe("400: Bad Request: wrong parameter action in request");
  });

  test("shows reactions, and accepts only certain emoji", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const { message_id } = chat.send("hi");
    const react = (emoji: string) =>
      api.setMessageReaction(chat.id, message_id, [{ type: "emoji", emoji: emoji as "👀" }]);
    await react("👀");
    chat.react(message_id, "👍");
    expect(chat.messages[0]?.reactions).toEqual(["👀", "👍"]);
    expect(await refusal(react("✅"))).toBe("400: Bad Request: REACTION_INVALID");
    await api.setMessageReaction(chat.id, message_id, []);
    expect(chat.messages[0]?.reactions).toEqual(["👍"]);
    expect(await refusal(api.setMessageReaction(chat.id, 99, []))).toBe("400: Bad Request: message to react not found");
  });
});

describe("a bot without access to everything", () => {
  test("cannot write while the user blocks it", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    chat.block();
    expect(await refusal(api.sendMessage(chat.id, "hi"))).toBe("403: Forbidden: bot was blocked by the user");
    chat.unblock();
    await api.sendMessage(chat.id, "hi");
    expect(await api.getUpdates()).toMatchObject([
      { my_chat_member: { chat: { id: chat.id }, new_chat_member: { status: "kicked" } } },
      { my_chat_member: { new_chat_member: { status: "member" } } },
    ]);
  });

  test.each(["group", "supergroup"] as const)(
    "cannot write after it was removed from a %s, until it is added again",
    async (type) => {
      const { telegram, api } = await startTelegram();
      const chat = telegram[type]();
      chat.removeBot();
      chat.send("behind its back");
      expect(await refusal(api.sendMessage(chat.id, "hi"))).toBe(
        `403: Forbidden: bot was kicked from the ${type} chat`,
      );
      expect(await api.getUpdates()).toMatchObject([
        { message: { left_chat_member: { id: telegram.bot.id } } },
        { my_chat_member: { new_chat_member: { status: "kicked" } } },
      ]);
      chat.addBot();
      await api.sendMessage(chat.id, "hi");
      expect((await api.getUpdates()).slice(2)).toMatchObject([
        { my_chat_member: { new_chat_member: { status: "member" } } },
        { message: { new_chat_members: [{ id: telegram.bot.id }] } },
      ]);
    },
  );

  test("in privacy mode sees only messages addressed to it", async () => {
    const { telegram, api } = await startTelegram({ bot: { can_read_all_group_messages: false } });
    const chat = telegram.group();
    const own = await api.sendMessage(chat.id, "I am here.");
    chat.send("private talk");
    chat.sendPhoto({ bytes: "x" });
    chat.send("/status");
    chat.send("/status@another_bot");
    chat.send("@waybill_test_bot, please");
    chat.send("thanks", { replyTo: own });
    chat.addMember(telegram.user());
    const updates = await api.getUpdates();
    expect(updates.map(({ message }) => message?.text)).toEqual([
      "/status",
      "@waybill_test_bot, please",
      "thanks",
      undefined,
    ]);
  });
});

test("a group that became a supergroup reports its new id", async () => {
  const { telegram, api } = await startTelegram();
  const group = telegram.group({ title: "Builders" });
  const next = telegram.migrate(group);
  const error = await api.sendMessage(group.id, "hi").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(GrammyError);
  expect(error).toMatchObject({
    error_code: 400,
    description: "Bad Request: group chat was upgraded to a supergroup chat",
    parameters: { migrate_to_chat_id: next.id },
  });
  expect(await api.getUpdates()).toMatchObject([
    { message: { chat: { id: group.id }, migrate_to_chat_id: next.id } },
    { message: { chat: { id: next.id, type: "supergroup", title: "Builders" }, migrate_from_chat_id: group.id } },
  ]);
  await api.sendMessage(next.id, "hi");
  expect(next.messages.at(-1)?.text).toBe("hi");
});
