import type { MessageEntity } from "grammy/types";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const bold = (offset: number, length: number): MessageEntity => ({ type: "bold", offset, length });

describe("sendMessage", () => {
  test("returns the message that the chat shows, with ascending ids and the clock's date", async () => {
    const clock = new ManualClock();
    const { telegram, api } = await startTelegram({ clock });
    const chat = telegram.privateChat();
    const first = await api.sendMessage(chat.id, "one");
    await clock.advance(5000);
    const second = await api.sendMessage(chat.id, "two");
    expect([first.message_id, second.message_id]).toEqual([1, 2]);
    expect(second.date - first.date).toBe(5);
    expect(first).toMatchObject({
      from: { id: telegram.bot.id, is_bot: true },
      chat: { id: chat.id, type: "private" },
    });
    expect(chat.messages.map(({ text, isFromBot }) => [text, isFromBot])).toEqual([
      ["one", true],
      ["two", true],
    ]);
  });

  test("refuses an unknown chat", async () => {
    const { api } = await startTelegram();
    expect(await refusal(api.sendMessage(42, "hi"))).toBe("400: Bad Request: chat not found");
  });

  test.each([
    ["", "message text is empty"],
    [" \n ", "message text is empty"],
    ["<b></b>", "message text is empty"],
    ["a".repeat(4097), "message is too long"],
  ])("refuses a text that is empty or too long (%#)", async (text, reason) => {
    const { telegram, api } = await startTelegram();
    const answer = await refusal(api.sendMessage(telegram.privateChat().id, text, { parse_mode: "HTML" }));
    expect(answer).toBe(`400: Bad Request: ${reason}`);
  });

  test("counts characters after parsing", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.sendMessage(chat.id, `<b>${"😀".repeat(4096)}</b>`, { parse_mode: "HTML" });
    expect(chat.messages).toHaveLength(1);
  });

  test("trims white space at both ends, and shifts the entities", async () => {
    const { telegram, api } = await startTelegram();
    const sent = await api.sendMessage(telegram.privateChat().id, "  a bold \n", { entities: [bold(4, 6)] });
    expect(sent).toMatchObject({ text: "a bold", entities: [bold(2, 4)] });
  });

  test("addresses a supergroup by its name", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.supergroup({ username: "builders" });
    await api.sendMessage("@Builders", "hi");
    expect(chat.messages).toMatchObject([{ text: "hi" }]);
  });
});

describe("entities", () => {
  test("are counted in UTF-16 units", async () => {
    const { telegram, api } = await startTelegram();
    const entities: MessageEntity[] = [bold(0, 2), { type: "pre", offset: 3, length: 4, language: "ts" }];
    const sent = await api.sendMessage(telegram.privateChat().id, "😀 code", { entities });
    expect(sent.entities).toEqual(entities);
  });

  test.each<[MessageEntity, string]>([
    [bold(0, 5), "entity ends after the end of the text"],
    [bold(-1, 2), "can't parse entities: receive an entity with incorrect offset -1"],
    [bold(0, 0), "can't parse entities: receive an entity with incorrect length 0"],
    [bold(1, 2), "entity begins in a middle of a UTF-16 symbol"],
    [bold(0, 1), "entity ends in a middle of a UTF-16 symbol"],
  ])("that do not fit the text are refused: %o", async (entity, reason) => {
    const { telegram, api } = await startTelegram();
    const answer = await refusal(api.sendMessage(telegram.privateChat().id, "😀ab", { entities: [entity] }));
    expect(answer).toBe(`400: Bad Request: ${reason}`);
  });

  test.each(["http://localhost:4096/session", "http://intranet/page", "localhost"])(
    "refuse a link to %s",
    async (url) => {
      const { telegram, api } = await startTelegram();
      const entities: MessageEntity[] = [{ type: "text_link", offset: 0, length: 4, url }];
      const answer = await refusal(api.sendMessage(telegram.privateChat().id, "link", { entities }));
      expect(answer).toBe(`400: Bad Request: entity URL '${url}' is invalid: Wrong HTTP URL`);
    },
  );

  test("after the hundredth are dropped", async () => {
    const { telegram, api } = await startTelegram();
    const entities = Array.from({ length: 120 }, (_, index) => bold(index * 2, 1));
    const sent = await api.sendMessage(telegram.privateChat().id, "a ".repeat(120), { entities });
    expect(sent.entities).toHaveLength(100);
  });

  test("are added for commands, mentions, hashtags and URLs", async () => {
    const { telegram } = await startTelegram();
    const text = "/start@waybill_test_bot see https://example.org/a, @waybill #1 #tag /not/a/command";
    const { entities } = telegram.privateChat().send(text);
    const found = entities?.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
    expect(found).toEqual([
      ["bot_command", "/start@waybill_test_bot"],
      ["url", "https://example.org/a"],
      ["mention", "@waybill"],
      ["hashtag", "#tag"],
    ]);
  });
});

test("people format their texts", async () => {
  const { telegram, api } = await startTelegram();
  telegram.privateChat().send("/run code", { entities: [{ type: "code", offset: 5, length: 4 }] });
  const [update] = await api.getUpdates();
  expect(update?.message?.entities?.map(({ type }) => type)).toEqual(["bot_command", "code"]);
});

describe("parse_mode", () => {
  test("HTML gives entities", async () => {
    const { telegram, api } = await startTelegram();
    const text =
      '<b>b</b> <i>i</i> <code>c</code> <pre><code class="language-ts">x</code></pre> <a href="https://a.org/?b=1&amp;c">l</a> &lt;';
    const sent = await api.sendMessage(telegram.privateChat().id, text, { parse_mode: "HTML" });
    expect(sent).toMatchObject({
      text: "b i c x l <",
      entities: [
        { type: "bold", offset: 0, length: 1 },
        { type: "italic", offset: 2, length: 1 },
        { type: "code", offset: 4, length: 1 },
        { type: "pre", offset: 6, length: 1, language: "ts" },
        { type: "text_link", offset: 8, length: 1, url: "https://a.org/?b=1&c" },
      ],
    });
  });

  test("MarkdownV2 gives entities", async () => {
    const { telegram, api } = await startTelegram();
    const text = "*b* _i_ __u__ ~s~ `c` [l](https://a.org) 1\\.5\n```ts\nx\n```";
    const sent = await api.sendMessage(telegram.privateChat().id, text, { parse_mode: "MarkdownV2" });
    expect(sent.text).toBe("b i u s c l 1.5\nx");
    expect(sent.entities?.map(({ type }) => type)).toEqual([
      "bold",
      "italic",
      "underline",
      "strikethrough",
      "code",
      "text_link",
      "pre",
    ]);
  });

  test.each([
    ["HTML", "<b>a", 'Can\'t find end tag corresponding to start tag "b"'],
    ["HTML", "a</b>", "Unexpected end tag"],
    ["HTML", "<b><i>a</b></i>", 'Unmatched end tag, expected "</i>", found "</b>"'],
    ["HTML", "<div>a</div>", 'Unsupported start tag "div"'],
    ["MarkdownV2", "*a", "Can't find end of Bold entity at byte offset 0"],
    ["MarkdownV2", "`a", "Can't find end of Code entity at byte offset 0"],
    ["MarkdownV2", "a.", "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ["Markdown", "_a", "Can't find end of Italic entity at byte offset 0"],
  ] as const)("%s refuses %s", async (parse_mode, text, reason) => {
    const { telegram, api } = await startTelegram();
    const answer = await refusal(api.sendMessage(telegram.privateChat().id, text, { parse_mode }));
    expect(answer).toBe(`400: Bad Request: can't parse entities: ${reason}`);
  });
});

describe("a reply from the bot", () => {
  test("shows the replied-to message and the quote", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const question = chat.send("one two three");
    await api.sendMessage(chat.id, "yes", { reply_parameters: { message_id: question.message_id, quote: "two" } });
    expect(chat.messages[1]).toMatchObject({ replyTo: 1, message: { quote: { text: "two", position: 4 } } });
  });

  test("to a missing message is refused, unless the bot allows that", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const reply = (allow: boolean) =>
      api.sendMessage(chat.id, "yes", { reply_parameters: { message_id: 9, allow_sending_without_reply: allow } });
    expect(await refusal(reply(false))).toBe("400: Bad Request: message to be replied not found");
    await reply(true);
    expect(chat.messages).toMatchObject([{ text: "yes", replyTo: undefined }]);
  });
});
