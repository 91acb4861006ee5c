import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

describe("sendRichMessage", () => {
  test("shows the source, and returns blocks", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const markdown = "# Title\n\nOne\ntwo\n\n```ts\nconst a = 1;\n```\n\nThree";
    const sent = await api.raw.sendRichMessage({ chat_id: chat.id, rich_message: { markdown } });
    expect(sent.rich_message.blocks).toEqual([
      { type: "heading", text: "Title", size: 1 },
      { type: "paragraph", text: "One\ntwo" },
      { type: "pre", text: "const a = 1;", language: "ts" },
      { type: "paragraph", text: "Three" },
    ]);
    expect(chat.messages).toMatchObject([{ text: markdown, rich: { markdown }, isFromBot: true }]);
  });

  test("also accepts HTML or blocks", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.raw.sendRichMessage({ chat_id: chat.id, rich_message: { html: "<p>Hi</p>" } });
    const blocks = [{ type: "paragraph" as const, text: ["Hello ", { type: "bold" as const, text: "you" }] }];
    await api.raw.sendRichMessage({ chat_id: chat.id, rich_message: { blocks } });
    expect(chat.messages.map(({ text }) => text)).toEqual(["<p>Hi</p>", "Hello  you"]);
  });

  test.each([
    [{ markdown: " " }, "message text is empty"],
    [{ markdown: "a".repeat(32_769) }, "message is too long"],
    [{}, "exactly one of the fields html, markdown and blocks must be used"],
    [{ markdown: "a", html: "a" }, "exactly one of the fields html, markdown and blocks must be used"],
    [{ markdown: "# a\n".repeat(501) }, "too many blocks in the rich message"],
  ])("refuses invalid input (%#)", async (rich_message, reason) => {
    const { telegram, api } = await startTelegram();
    const sending = api.raw.sendRichMessage({ chat_id: telegram.privateChat().id, rich_message });
    expect(await refusal(sending)).toBe(`400: Bad Request: ${reason}`);
  });

  test("sends 32,768 characters", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.raw.sendRichMessage({ chat_id: chat.id, rich_message: { markdown: "a".repeat(32_768) } });
    expect(chat.messages[0]?.text).toHaveLength(32_768);
  });
});

describe("a draft", () => {
  const draft = { draft_id: 7, can_stop: true };

  test("is shown until the bot sends the message", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.raw.sendMessageDraft({ chat_id: chat.id, ...draft, text: "Hel" });
    await api.raw.sendRichMessageDraft({ chat_id: chat.id, ...draft, rich_message: { markdown: "Hello" } });
    expect(chat.draft).toMatchObject({ id: 7, text: "Hello", canStop: true });
    await api.sendMessage(chat.id, "Hello.");
    expect(chat.draft).toBeUndefined();
    expect(chat.messages).toMatchObject([{ text: "Hello." }]);
  });

  test("fades 30 seconds after its last change", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    await api.raw.sendMessageDraft({ chat_id: chat.id, ...draft, text: "Hel" });
    await clock.advance(20_000);
    await api.raw.sendMessageDraft({ chat_id: chat.id, ...draft, text: "Hello" });
    await clock.advance(20_000);
    expect(chat.draft?.text).toBe("Hello");
    const gone = chat.waitFor((view) => view.draft === undefined);
    await clock.advance(10_000);
    await gone;
  });

  test("may be empty, and belongs to its topic", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const thread = chat.createTopic("Build");
    await api.raw.sendMessageDraft({ chat_id: chat.id, draft_id: 1, message_thread_id: thread });
    expect(chat.draft).toMatchObject({ text: "", thread });
    await api.sendMessage(chat.id, "elsewhere");
    expect(chat.draft).toMatchObject({ thread });
  });

  test("is refused outside private chats and without an id", async () => {
    const { telegram, api } = await startTelegram();
    const inGroup = api.raw.sendMessageDraft({ chat_id: telegram.group().id, draft_id: 1, text: "a" });
    expect(await refusal(inGroup)).toBe("400: Bad Request: TEXTDRAFT_PEER_INVALID");
    const withoutId = api.raw.sendMessageDraft({ chat_id: telegram.privateChat().id, draft_id: 0, text: "a" });
    expect(await refusal(withoutId)).toBe("400: Bad Request: draft_id must be non-zero");
  });

  test("notifies the bot when a person stops it", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.raw.sendMessageDraft({ chat_id: chat.id, ...draft, text: "Hel" });
    chat.stopDraft();
    const [update] = await api.getUpdates();
    expect(update?.stopped_message_generation).toMatchObject({ chat: { id: chat.id }, draft_id: 7 });
    expect(chat.draft).toBeUndefined();
  });

  test("stays after it is stopped, if the bot wants that", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.raw.sendMessageDraft({ chat_id: chat.id, ...draft, text: "Hel", keep_on_stop: true });
    chat.stopDraft();
    expect(chat.draft).toMatchObject({ text: "Hel", canStop: false });
    expect(() => chat.stopDraft()).toThrow("There is no draft that can be stopped:\ndraft 7: Hel");
  });
});

test("an old server supports neither rich messages nor drafts", async () => {
  const { telegram, api } = await startTelegram({ botApiVersion: "old" });
  const chat = telegram.privateChat();
  const rich_message = { markdown: "a" };
  const notFound = "404: Not Found: method not found";
  expect(await refusal(api.raw.sendRichMessage({ chat_id: chat.id, rich_message }))).toBe(notFound);
  expect(await refusal(api.raw.sendMessageDraft({ chat_id: chat.id, draft_id: 1, text: "a" }))).toBe(notFound);
  expect(await refusal(api.raw.sendRichMessageDraft({ chat_id: chat.id, draft_id: 1, rich_message }))).toBe(notFound);
  const { message_id } = await api.sendMessage(chat.id, "plain");
  const editing = api.raw.editMessageText({ chat_id: chat.id, message_id, rich_message });
  expect(await refusal(editing)).toBe("400: Bad Request: message text is empty");
});
