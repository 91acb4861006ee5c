import { InputFile, InputMediaBuilder } from "grammy";
import { describe, expect, test } from "vitest";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

const file = (content: string, name: string) => new InputFile(Buffer.from(content), name);

describe("files from the bot", () => {
  test("are shown with name, content and caption, and can be sent again by id", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const binary = "\r\n--x\0\u{ff}";
    const sent = await api.sendDocument(chat.id, file(binary, "a b.log"), {
      caption: "<b>The log</b>",
      parse_mode: "HTML",
    });
    await api.sendPhoto(chat.id, file("pixels", "p.png"));
    await api.sendDocument(chat.id, sent.document.file_id);
    const seen = chat.messages.map(({ file, text }) => [file?.name, file?.bytes.toString(), text]);
    expect(seen).toEqual([
      ["a b.log", binary, "The log"],
      ["p.png", "pixels", ""],
      ["a b.log", binary, ""],
    ]);
    expect(chat.messages[0]?.entities).toMatchObject([{ type: "bold", length: 7 }]);
  });

  test("can be sent as an album of 2 to 10", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const photo = (name: string) => InputMediaBuilder.photo(file(name, name), { caption: name });
    const sent = await api.sendMediaGroup(chat.id, [photo("a.png"), photo("b.png")]);
    const album = chat.messages.map(({ message }) => message.media_group_id);
    expect(sent).toHaveLength(2);
    expect(new Set(album)).toEqual(new Set([expect.any(String)]));
    expect(chat.messages.map(({ file, text }) => [file?.bytes.toString(), text])).toEqual([
      ["a.png", "a.png"],
      ["b.png", "b.png"],
    ]);
    expect(await refusal(api.sendMediaGroup(chat.id, [photo("a.png")]))).toMatch(
      "400: Bad Request: expected 2-10 items",
    );
  });

  test("are refused if they are empty or unknown, or their caption is too long", async () => {
    const { telegram, api } = await startTelegram();
    const { id } = telegram.privateChat();
    expect(await refusal(api.sendDocument(id, file("", "a.txt")))).toBe("400: Bad Request: file must be non-empty");
    expect(await refusal(api.sendDocument(id, "unknown"))).toMatch("400: Bad Request: wrong remote file identifier");
    expect(await refusal(api.sendDocument(id, file("a", "a.txt"), { caption: "a".repeat(1025) }))).toBe(
      "400: Bad Request: message caption is too long",
    );
  });
});

describe("files from people", () => {
  test.each(["sendPhoto", "sendDocument", "sendVoice"] as const)("%s can be downloaded", async (send) => {
    const { telegram, api } = await startTelegram();
    const message = telegram.privateChat()[send]({ bytes: "content", name: "a.txt", caption: "look at /this" });
    const id = message.photo?.[0]?.file_id ?? message.document?.file_id ?? message.voice?.file_id ?? "";
    expect(message).toMatchObject({ caption: "look at /this", caption_entities: [{ type: "bot_command" }] });
    const { file_path, file_size } = await api.getFile(id);
    const response = await fetch(`${telegram.url}/file/bot${telegram.token}/${file_path}`);
    expect([await response.text(), file_size]).toEqual(["content", 7]);
    expect((await fetch(`${telegram.url}/file/botwrong/${file_path}`)).status).toBe(404);
  });

  test("arrive as an album, with a message for each", async () => {
    const { telegram, api } = await startTelegram();
    telegram.privateChat().sendAlbum([{ bytes: "a", caption: "both" }, { bytes: "b" }]);
    const updates = await api.getUpdates();
    const [one, two] = updates.map(({ message }) => message?.media_group_id);
    expect(updates).toHaveLength(2);
    expect(one).toBe(two);
  });

  test("are refused if they are unknown or too big to download", async () => {
    const { telegram, api } = await startTelegram();
    const big = telegram.privateChat().sendDocument({ bytes: Buffer.alloc(20 * 1024 * 1024 + 1) });
    expect(await refusal(api.getFile("unknown"))).toBe("400: Bad Request: invalid file_id");
    expect(await refusal(api.getFile(big.document?.file_id ?? ""))).toBe("400: Bad Request: file is too big");
  });
});
